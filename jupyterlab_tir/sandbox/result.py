"""What running a cell gave, as plain data, and the words in which a model is told.

Pure: no kernel, no clock, no Jupyter type.
"""

from __future__ import annotations

import re
from enum import StrEnum

import msgspec

_QUIET_WARNINGS = (
    "DeprecationWarning",
    "FutureWarning",
    "ImportWarning",
    "PendingDeprecationWarning",
    "SyntaxWarning",
)
_WARNING = re.compile(r"^\S.*:\d+: (?P<category>\w+): ")


class CellStatus(StrEnum):
    """How a cell ended."""

    OK = "ok"
    """It ran to its end."""
    ERROR = "error"
    """It raised; the kernel and its state live on."""
    TIMEOUT = "timeout"
    """It ran longer than allowed; the kernel lives on where an interrupt was enough."""
    OUT_OF_MEMORY = "out-of-memory"
    """It asked for more memory than a child may have."""
    DIED = "died"
    """The kernel's process ended, or stopped speaking sense and was ended; its state is lost."""
    OUTPUT_LIMIT = "output-limit"
    """It sent more, or larger, messages than are accepted; the kernel was ended."""
    REFUSED = "refused"
    """It was not run: the text cannot be a cell."""
    CANCELLED = "cancelled"
    """The kernel was closed while the cell ran."""


class CellResult(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one cell.

    Attributes
    ----------
    status
        How it ended.
    duration_s
        Wall-clock seconds from sending the cell to knowing its outcome; start-up of the kernel is
        not in it.
    stdout, stderr
        Text only: control characters removed, head and tail kept, with a marker between them that
        says how many characters were cut.
    value
        `repr` of the last expression; None if there was none or it was None.
    error_name, error_message
        Class and message of the exception, or, where the cell did not run to an exception of its
        own, None and one sentence that says what happened.
    traceback
        Where it happened in the model's own code: cell, line number, line. None without one.
    hint
        One line about a mistake that models make often, or None.
    stdout_cut, stderr_cut, value_cut
        Characters that were left out of each.
    peak_memory_bytes
        Highest resident memory of the kernel's process so far; None if it could not say.
    """

    status: CellStatus
    duration_s: float
    stdout: str = ""
    stderr: str = ""
    value: str | None = None
    error_name: str | None = None
    error_message: str | None = None
    traceback: str | None = None
    hint: str | None = None
    stdout_cut: int = 0
    stderr_cut: int = 0
    value_cut: int = 0
    peak_memory_bytes: int | None = None

    @property
    def truncated(self) -> bool:
        """Whether any output was cut."""
        return bool(self.stdout_cut or self.stderr_cut or self.value_cut)

    def text_for_model(self) -> str:
        r"""Return what the model is shown: output, value, warnings that matter, error, hint.

        Examples
        --------
        >>> said = CellResult(status=CellStatus.OK, duration_s=0.1, stdout="a\n", value="2")
        >>> said.text_for_model()
        'a\n2'
        >>> CellResult(status=CellStatus.OK, duration_s=0.1).text_for_model()
        '(no output: print a value, or end with an expression, to see it)'
        """
        parts = [self.stdout.rstrip("\n"), self.value or "", warnings_that_matter(self.stderr)]
        if self.error_name is not None:
            message = f": {self.error_message}" if self.error_message else ""
            parts += [self.traceback or "", f"{self.error_name}{message}"]
        elif self.error_message:
            parts.append(self.error_message)
        if self.hint:
            parts.append(f"Hint: {self.hint}")
        text = "\n".join(part for part in parts if part)
        return text or "(no output: print a value, or end with an expression, to see it)"


def warnings_that_matter(stderr: str) -> str:
    r"""Return `stderr` without warnings that say nothing about the mathematics.

    A warning is a line `file:line: Category: message` and the indented source line after it.

    Examples
    --------
    >>> warnings_that_matter("<cell 1>:1: DeprecationWarning: old\n  f()\nreal trouble\n")
    'real trouble'
    """
    kept: list[str] = []
    quiet = False
    for line in stderr.splitlines():
        warning = _WARNING.match(line)
        if warning:
            quiet = warning["category"] in _QUIET_WARNINGS
        elif quiet and not line.startswith(" "):
            quiet = False
        if not quiet:
            kept.append(line)
    return "\n".join(kept).strip("\n")
