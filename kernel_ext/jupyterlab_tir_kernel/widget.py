"""The live widget: one synchronised trait, drawn by `live.js` with text nodes only.

Import it late: it brings ipywidgets, which some kernels do not have.
"""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

import anywidget
import msgspec
import traitlets

from .live import LiveRun

KEPT_OPEN = 8
"""Widgets that stay open after their run, for pages that were reloaded in the middle of it."""

_open: deque[LiveWidget] = deque()


class LiveWidget(anywidget.AnyWidget):
    """A run's live view. `ready` tells whether a front end has drawn it."""

    _esm = Path(__file__).with_name("live.js").read_text(encoding="utf-8")
    run = traitlets.Dict().tag(sync=True)

    def __init__(self, shown: LiveRun) -> None:
        self.shown = shown
        self.ready = False
        super().__init__(run=msgspec.to_builtins(shown))
        # May be called on a subshell's thread (ipykernel 7.0 to 7.3): it only sets a flag.
        self.on_msg(self._hear)
        _open.append(self)
        if len(_open) > KEPT_OPEN:
            _open.popleft().close()

    def _hear(self, _: object, content: dict[str, Any], __: object) -> None:
        if content.get("kind") == "ready":
            self.ready = True

    def show(self, shown: LiveRun) -> None:
        """Send one more state."""
        self.shown = shown
        self.run = msgspec.to_builtins(shown)

    def __repr__(self) -> str:
        return f"TIR run: {self.shown.line}"
