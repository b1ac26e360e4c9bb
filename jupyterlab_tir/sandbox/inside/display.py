"""What a cell shows: values and displays, as text.

Overrides of IPython's; what they publish goes to the shell's publisher, once it has one.
"""

# mypy: disallow-untyped-calls=False, disallow-untyped-decorators=False
# ruff: noqa: ANN401, D102 - what is overridden is untyped, and documented where it comes from

from __future__ import annotations

from typing import Any, Final

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.formatters import DisplayFormatter, PlainTextFormatter, catch_format_error

from .streams import encodable

_TEXT: Final = "text/plain"


class ReprFormatter(PlainTextFormatter):
    """The `repr` of an object; IPython's own printing would cut lists and sort sets."""

    keep_chars = 16_384
    cut_chars = 0

    @catch_format_error
    def __call__(self, obj: Any) -> str:
        text = repr(obj)
        self.cut_chars = max(len(text) - 2 * self.keep_chars, 0)
        if self.cut_chars:
            text = text[: self.keep_chars] + text[-self.keep_chars :]
        return encodable(text)


class TextDisplayFormatter(DisplayFormatter):
    """Formats as text only; the other formatters are there for code that configures them."""

    def format(self, obj: Any, include: Any = None, exclude: Any = None) -> Any:
        left_out = (include and _TEXT not in include) or (exclude and _TEXT in exclude)
        if left_out or self.ipython_display_formatter(obj):
            return {}, {}
        text = self.formatters[_TEXT](obj)
        return ({} if text is None else {_TEXT: text}), {}


class CellDisplayHook(DisplayHook):
    """Publishes the value of a cell's last expression.

    Attributes
    ----------
    showing
        Whether it is at work.
    """

    shell: Any
    showing = False
    _data: Any = None
    _metadata: Any = None

    def start_displayhook(self) -> None:
        super().start_displayhook()
        self.showing = True

    def write_output_prompt(self) -> None:
        self._data = None

    def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
        self._data, self._metadata = format_dict, md_dict

    def finish_displayhook(self) -> None:
        self.shell.flush()
        if self._data:
            content = {
                "execution_count": self.prompt_count,
                "data": self._data,
                "metadata": self._metadata or {},
            }
            self.shell.publish("execute_result", content)
        self._data = self._metadata = None
        self.begin_cell()

    def begin_cell(self) -> None:
        """Forget a value whose display was interrupted."""
        self._is_active = self.showing = False


class CellDisplayPublisher(DisplayPublisher):
    """Publishes what `display` is called with."""

    shell: Any

    def publish(  # type: ignore[override]
        self,
        data: Any,
        metadata: Any = None,
        *,
        transient: Any = None,
        update: bool = False,
        **_: Any,
    ) -> None:
        self.shell.flush()
        self._validate_data(data, metadata)
        content = {"data": data, "metadata": metadata or {}, "transient": transient or {}}
        self.shell.publish("update_display_data" if update else "display_data", content)

    def clear_output(self, wait: bool = False) -> None:  # noqa: FBT001, FBT002 - IPython's
        self.shell.flush()
        self.shell.publish("clear_output", {"wait": wait})
