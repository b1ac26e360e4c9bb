"""Trimming an exception to what helps a model: where in its own code, and what.

Runs in the child. Frames of libraries are left out but for the name of the innermost one.
"""

from __future__ import annotations

import difflib
import linecache
import traceback
from types import ModuleType
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from types import TracebackType

_MESSAGE_CHARS = 2_000
_NAME_CHARS = 100
_LINE_CHARS = 200
_CELL = "<cell "


def shortened(text: str, chars: int) -> str:
    """Return `text` with at most `chars` characters; what is missing is marked.

    Examples
    --------
    >>> shortened("abcdefghij", 5)
    'ab...ij'
    """
    return text if len(text) <= chars else f"{text[: chars // 2]}...{text[-(chars // 2) :]}"


class ErrorReport(msgspec.Struct, frozen=True):
    """An exception as messages carry it: class, message, lines of the trimmed traceback."""

    ename: str
    evalue: str
    traceback: list[str]

    def plain(self) -> Exception:
        """Return an exception of this name and message that holds no frames, so no memory."""
        plain: Exception = type(self.ename, (Exception,), {})(self.evalue)
        return plain


def report_error(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> ErrorReport:
    """Describe an exception, also one whose class and methods misbehave."""
    # Not `kind.__name__`, which a metaclass may have made a property that raises.
    name = type.__dict__["__name__"].__get__(kind)
    return ErrorReport(shortened(name, _NAME_CHARS), *_described(kind, error, trace))


def _described(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> tuple[str, list[str]]:
    if issubclass(kind, SyntaxError) and isinstance(error, SyntaxError):
        return _describe_syntax_error(error, trace)
    # format_exception_only guards against `__str__` methods that raise.
    text = "".join(traceback.format_exception_only(kind, error)).rstrip("\n")
    name, colon, message = text.partition(": ")
    if not colon or not name.replace(".", "").isidentifier():
        message = ""
    return shortened(message + _suggestion(error), _MESSAGE_CHARS), _own_lines(trace)


def _describe_syntax_error(
    error: SyntaxError, trace: TracebackType | None
) -> tuple[str, list[str]]:
    message = shortened(str(error.msg or ""), _MESSAGE_CHARS)
    lines = _own_lines(trace)
    if error.lineno is not None:
        source = error.text if isinstance(error.text, str) else ""
        where = error.filename if isinstance(error.filename, str) else ""
        cell = where.strip("<>") if where.startswith(_CELL) else "parsed text"
        lines.append(_line(f"{cell}, line {error.lineno}", source))
    return message, lines


def _own_lines(trace: TracebackType | None) -> list[str]:
    """Return the first and the last line of the cells that the exception passed through."""
    own: list[tuple[str, str]] = []
    innermost = ""
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename.startswith(_CELL):
            where = f"{code.co_filename.strip('<>')}, line {trace.tb_lineno}"
            if code.co_name not in {"<module>", "<cell line: 1>"} and "<" not in code.co_name:
                where += f", in {code.co_name}"
            own.append((where, linecache.getline(code.co_filename, trace.tb_lineno)))
            innermost = ""
        else:
            innermost = str(trace.tb_frame.f_globals.get("__name__", ""))
        trace = trace.tb_next
    lines = [_line(*place) for place in dict.fromkeys(own[:1] + own[-1:])]
    if lines and innermost:
        lines.append(f"raised inside {shortened(innermost, _LINE_CHARS)}")
    return lines


def _line(where: str, source: str) -> str:
    source = shortened(source.strip(), _LINE_CHARS)
    return f"{where}: {source}" if source else where


def _suggestion(error: BaseException) -> str:
    """Return ` Did you mean: …?` for a name that a module does not have but nearly does."""
    if not isinstance(error, AttributeError) or not isinstance(error.obj, ModuleType):
        return ""
    near = difflib.get_close_matches(str(error.name), vars(error.obj), n=1)
    return f". Did you mean: {near[0]!r}?" if near else ""
