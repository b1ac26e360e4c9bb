"""A cell's one output: live while its run goes on, then replaced by the static bundle.

It publishes under one display id, from the cell's own thread only. Where no page can draw a widget,
or none has drawn it after a while, the live view is HTML that is updated in place.
"""

from __future__ import annotations

import logging
import os
import secrets
import time
from typing import TYPE_CHECKING

from .html import live_html
from .live import LiveRun
from .publishing import Bundle, publish, replace

if TYPE_CHECKING:
    from .widget import LiveWidget

READY_S = 2.0
"""Seconds in which a front end draws the widget; after that the view is HTML."""

HTML_FRAME_S = 0.5
"""Seconds between two updates of the HTML view, each of which replaces the whole output."""

FIRST_S = 0.2
"""Seconds before anything live is shown: what fails at once shows its sentence alone."""

_PAGE = "JPY_SESSION_NAME"
"""Jupyter's server names the notebook or console that it started the kernel for; nbclient and its
kin do not, and would keep the widget's state in the file."""

_log = logging.getLogger(__name__)


class CellOutput:
    """The output of one `%%tir` cell.

    Parameters
    ----------
    live
        Whether anything is shown before the end: not in a shell that can only print.
    widget
        Whether a widget may be tried: not in a cell that blocks, which hears no front end.
    """

    def __init__(self, *, live: bool, widget: bool) -> None:
        self._live = live
        self._try_widget = widget
        self._display_id = f"tir-{secrets.token_hex(8)}"
        self._began = time.monotonic()
        self._shown_at: float | None = None
        self._updated_at = 0.0
        self._widget: LiveWidget | None = None

    @property
    def seconds(self) -> float:
        """Seconds since the cell began."""
        return time.monotonic() - self._began

    def show(self, shown: LiveRun) -> None:
        """Show one more state of the run; the caller sees to it that these are not too many."""
        if not self._live or self.seconds < FIRST_S:
            return
        if self._shown_at is None:
            self._open(shown)
            return
        if self._widget is not None and not self._is_heard(self._widget):
            # For good: what replaces it would hide a widget that is drawn late.
            self._widget.close()
            self._widget = None
        if self._widget is not None:
            self._widget.show(shown)
        elif time.monotonic() - self._updated_at >= HTML_FRAME_S:
            self._publish(_html_bundle(shown))

    def finish(self, bundle: Bundle, last: LiveRun) -> None:
        """Replace what is shown by the static bundle; the widget keeps the last state."""
        if self._widget is not None:
            self._widget.show(last)
        self._publish(bundle)

    def withdraw(self, words: str) -> None:
        """Replace what is shown, if anything is, by a few words: the run did not begin."""
        if self._shown_at is not None:
            self._publish({"text/plain": words})

    def _open(self, shown: LiveRun) -> None:
        bundle = _html_bundle(shown)
        if self._try_widget and _PAGE in os.environ:
            self._widget = _make_widget(shown)
        if self._widget is not None:
            made = self._widget._repr_mimebundle_()
            drawn = made[0] if isinstance(made, tuple) else made or {}
            bundle = {**bundle, **drawn, "text/plain": repr(self._widget)}
        self._publish(bundle)

    def _is_heard(self, widget: LiveWidget) -> bool:
        """Whether a front end has drawn the widget, or may still do so."""
        return widget.ready or time.monotonic() - (self._shown_at or 0.0) < READY_S

    def _publish(self, bundle: Bundle) -> None:
        self._updated_at = time.monotonic()
        if self._shown_at is None:
            publish(bundle, display_id=self._display_id)
            self._shown_at = self._updated_at
        else:
            replace(bundle, display_id=self._display_id)


def _html_bundle(shown: LiveRun) -> Bundle:
    return {
        "text/html": live_html(shown.line, shown.rows, shown.notices),
        "text/plain": f"TIR run: {shown.line}",
    }


def _make_widget(shown: LiveRun) -> LiveWidget | None:
    try:
        from .widget import LiveWidget  # noqa: PLC0415 - 80 ms, and some kernels have no ipywidgets
    except ImportError as error:
        _log.info("no live widget (%s); the view is HTML", error)
        return None
    return LiveWidget(shown)
