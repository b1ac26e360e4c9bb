"""Collecting the messages of one cell into a `CellResult`. Pure: no clock, no socket.

Contents are untrusted: every part is used only if it has the type that it should have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .hints import MEMORY_HINT, TIMEOUT_HINT, hint_for
from .plain_text import clean, head_and_tail
from .result import CellResult, CellStatus
from .result_channel import read_report

if TYPE_CHECKING:
    from .connection import Message

_NAME_CHARS = 200
_MESSAGE_CHARS = 1_000
_TRACEBACK_LINES = 12

_HINTS = {CellStatus.TIMEOUT: TIMEOUT_HINT, CellStatus.OUT_OF_MEMORY: MEMORY_HINT}


class Transcript:
    """What a kernel sent about one cell.

    Parameters
    ----------
    keep_chars
        Characters of each output to keep at the head, and as many at the tail.

    Attributes
    ----------
    reply
        Content of the reply to the request, once it came.
    idle
        Whether the kernel said that it is done with the request.
    """

    def __init__(self, keep_chars: int) -> None:
        self._keep_chars = keep_chars
        self._streams: dict[str, list[str]] = {"stdout": [], "stderr": []}
        self._value: str | None = None
        self._error: dict[str, Any] = {}
        self.reply: dict[str, Any] | None = None
        self.idle = False

    def add(self, message: Message) -> None:
        """Take in a message whose parent is the cell's request."""
        content = message.content
        match message.kind:
            case "execute_reply":
                self.reply = self.reply or content
            case "status":
                self.idle = self.idle or content.get("execution_state") == "idle"
            case "stream":
                pieces = self._streams.get(str(content.get("name")))
                if pieces is not None:
                    pieces.append(_text(content.get("text")))
            case "display_data":
                self._streams["stdout"].append(f"{_plain_text_of(content)}\n")
            case "execute_result":
                self._value = _plain_text_of(content)
            case "error":
                self._error = content
            case _:
                pass  # what else a kernel may publish is no output of the cell

    def replied_status(self) -> CellStatus:
        """Return the status that the kernel's own reply amounts to."""
        reply = self.reply or {}
        if read_report(reply.get("payload"))["out_of_memory"]:
            return CellStatus.OUT_OF_MEMORY
        if reply.get("status") == "ok":
            return CellStatus.OK
        name = reply.get("ename")
        return CellStatus.OUT_OF_MEMORY if name == "MemoryError" else CellStatus.ERROR

    def result(self, status: CellStatus, duration_s: float, sentence: str = "") -> CellResult:
        """Return the result of the cell.

        Parameters
        ----------
        status
            How it ended.
        duration_s
            Seconds that it took.
        sentence
            What happened, where that is not an exception of the cell's own.
        """
        report = read_report((self.reply or {}).get("payload"))
        stdout, stdout_cut = self._cut("".join(self._streams["stdout"]), report["stdout_cut"])
        stderr, stderr_cut = self._cut("".join(self._streams["stderr"]), report["stderr_cut"])
        value, value_cut = self._cut(self._value or "", report["value_cut"])
        name = message = traceback = hint = None
        if sentence:
            message = sentence
        elif status is not CellStatus.OK:
            name, message, traceback = self._described_error()
            hint = hint_for(name, message)
        return CellResult(
            status=status,
            duration_s=duration_s,
            stdout=stdout,
            stderr=stderr,
            value=value if self._value is not None else None,
            error_name=name,
            error_message=message,
            traceback=traceback,
            hint=_HINTS.get(status, hint),
            stdout_cut=stdout_cut,
            stderr_cut=stderr_cut,
            value_cut=value_cut,
            peak_memory_bytes=report["peak_memory_bytes"],
        )

    def _cut(self, text: str, already_cut: int) -> tuple[str, int]:
        return head_and_tail(clean(text), self._keep_chars, already_cut)

    def _described_error(self) -> tuple[str, str, str | None]:
        # A last expression whose repr raises is an error in the reply only by the published one.
        reply = self.reply or {}
        error = self._error or reply
        name = clean(_text(error.get("ename")))[:_NAME_CHARS] or "Error"
        message, _ = head_and_tail(clean(_text(error.get("evalue"))), _MESSAGE_CHARS)
        lines = error.get("traceback")
        kept = [_text(line) for line in lines] if isinstance(lines, list) else []
        traceback, _ = head_and_tail(clean("\n".join(kept[-_TRACEBACK_LINES:])), _MESSAGE_CHARS)
        return name, message, traceback or None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _plain_text_of(content: dict[str, Any]) -> str:
    data = content.get("data")
    return _text(data.get("text/plain")) if isinstance(data, dict) else ""
