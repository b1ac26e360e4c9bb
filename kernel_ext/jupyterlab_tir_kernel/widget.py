"""The live view as a widget, for pages that have no JupyterLab extension of ours.

It draws with the same program as the extension, built into `view.js` and `view.css` beside this
module; a clone where they were not built has no widget. Its page asks with messages
`{id, request}`, answered by `{id, reply}`, and is told what is new by `{run, page, batch}`; where
it reaches the kernel's control channel it asks there. The trait `snapshot` holds the run as it was
at first, and at the end as it ended.

Import it late: it brings ipywidgets, which some kernels do not have.
"""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from .control import answer
from .hub import Deliver, hub

FOLDER = Path(__file__).parent

KEPT_OPEN = 8
"""Widgets that stay open after their run, for pages that were reloaded in the middle of it."""

ID_CHARS = 200

_over: deque[LiveWidget] = deque()


def is_built() -> bool:
    """Whether there is a program that draws the widget."""
    return (FOLDER / "view.js").is_file()


def _read(name: str) -> str:
    path = FOLDER / name
    return path.read_text(encoding="utf-8") if path.is_file() else ""


class LiveWidget(anywidget.AnyWidget):
    """A run's live view.

    Parameters
    ----------
    snapshot
        The run, as JSON holds it.
    words
        The run in a line, for pages that draw no widget.
    """

    snapshot = traitlets.Dict().tag(sync=True)

    def __init__(self, snapshot: dict[str, Any], words: str) -> None:
        self._esm, self._css = _read("view.js"), _read("view.css")
        self._words = words
        super().__init__(snapshot=snapshot)
        # May be called on a subshell's thread (ipykernel 7.0 to 7.3), as well as the main one.
        self.on_msg(self._hear)

    def keep_for_late(self) -> None:
        """Say that its run is over: it stays open until a few more are."""
        _over.append(self)
        if len(_over) > KEPT_OPEN:
            _over.popleft().close()

    def close(self) -> None:
        """Close it and what ipywidgets made for its layout."""
        if self.comm is not None:
            super().close()
            self.layout.close()

    def _hear(self, _: object, content: object, __: object) -> None:
        if not isinstance(content, dict) or "request" not in content:
            return
        asked = content.get("id")
        if isinstance(asked, str) and len(asked) <= ID_CHARS:
            self.send({"id": asked, "reply": answer(content["request"], hub(), self._reach)})

    def _reach(self, run: str, page: str) -> Deliver:
        return lambda batch: self.send({"run": run, "page": page, "batch": batch})

    def __repr__(self) -> str:
        return self._words
