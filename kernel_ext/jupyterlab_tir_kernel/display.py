"""A cell's one output: live while its run goes on, then replaced by the static bundle.

It publishes under one display id and in the context of the cell that made it, whichever thread it
is called on and whatever other cell runs meanwhile. The live output holds the run as it was when it
began, which pages with a program of ours bring up to date by themselves; where none does, its HTML
is updated in place.
"""

from __future__ import annotations

import contextvars
import logging
import os
import secrets
import threading
import time
from typing import TYPE_CHECKING, Any

from jupyterlab_tir.viewing.wire import MIME, Snapshot, to_page

from .live import live_bundle, waiting_bundle
from .publishing import Bundle

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from .hub import WatchedRun
    from .widget import LiveWidget

READY_S = 2.0
"""Seconds in which a page says that it draws the run; after that the view is HTML."""

HTML_FRAME_S = 0.5
"""Seconds between two updates of the HTML view, each of which replaces the whole output."""

FIRST_S = 1.0
"""Seconds before anything is shown of a run that has not begun: what fails at once shows its
sentence alone."""

_PAGE = "JPY_SESSION_NAME"
"""Jupyter's server names the notebook or console that it started the kernel for; nbclient and its
kin do not, and would keep the widget's state in the file."""

_log = logging.getLogger(__name__)


class CellOutput:
    """The output of one cell; make it on the cell's thread, use it on any.

    Parameters
    ----------
    live
        Whether anything is shown before the end: not in a shell that can only print.
    """

    def __init__(self, shell: InteractiveShell, *, live: bool) -> None:
        self._live = live
        # Those of this cell: another one may be running, and capturing, when this output changes.
        self._publisher: Any = shell.display_pub
        self._context = contextvars.copy_context()
        self._display_id = f"tir-{secrets.token_hex(8)}"
        self._lock = threading.RLock()
        self._began = time.monotonic()
        self._shown = False
        self._over = False
        self._published_at = 0.0
        self._opened_at: float | None = None
        self._html = False
        self._widget: LiveWidget | None = None
        # Loaded here, since the engine's thread has better things to do.
        self._widget_class = _find_widget_class() if live and _PAGE in os.environ else None

    @property
    def seconds(self) -> float:
        """Seconds since the cell began."""
        return time.monotonic() - self._began

    def wait(self, phase: str) -> None:
        """Show what is waited for before the run begins, once in a while."""
        with self._lock:
            if self._opened_at is None and self.seconds >= FIRST_S and self._is_due():
                self._publish(waiting_bundle(phase, self.seconds))

    def open(self, snapshot: Snapshot) -> None:
        """Show the run that has begun, for pages to bring up to date."""
        with self._lock:
            if not self._live or self._over:
                return
            # In the cell's context, too: a widget's messages name the cell that they belong to.
            bundle = self._context.copy().run(self._live_bundle, snapshot)
            self._opened_at = time.monotonic()
            self._publish(bundle)

    def update(self, run: WatchedRun) -> bool:
        """Bring the HTML up to date where no page draws the run; False if it needs no more."""
        with self._lock:
            if self._opened_at is None or self._over or (run.heard and not self._html):
                return False
            if time.monotonic() - self._opened_at < READY_S:
                return True
            if not self._html and self._widget is not None:
                # For good: what replaces it would hide a widget that is drawn late.
                self._widget.close()
                self._widget = None
            snapshot = run.snapshot()
            # A page may have said so late: its computer was busy.
            self._html = not (run.heard and snapshot is not None)
            if snapshot is not None and (self._is_due() or not self._html):
                shown = live_bundle(snapshot, self.seconds, stopping=run.stopping)
                self._publish(shown if self._html else {MIME: to_page(snapshot), **shown})
            return self._html

    def finish(self, bundle: Bundle, metadata: Bundle | None = None) -> None:
        """Replace what is shown by the static bundle, in the widget's state too."""
        with self._lock:
            if self._widget is not None and MIME in bundle:
                self._widget.snapshot = bundle[MIME]
            self._publish(bundle, metadata)
            self._end()

    def withdraw(self, words: str) -> None:
        """Replace what is shown, if anything is, by a few words; what is shown for good stays."""
        with self._lock:
            if self._over:
                return
            if self._shown:
                self._publish({"text/plain": words})
            self._end()

    def _end(self) -> None:
        self._over = True
        widget, self._widget = self._widget, None
        if widget is not None:
            widget.keep_for_late()

    def _live_bundle(self, snapshot: Snapshot) -> Bundle:
        bundle = {MIME: to_page(snapshot), **live_bundle(snapshot, self.seconds)}
        if self._widget_class is not None:
            self._widget = self._widget_class(bundle[MIME], bundle["text/plain"])
            made: Any = self._widget._repr_mimebundle_()
            drawn = made[0] if isinstance(made, tuple) else made or {}
            bundle = {**drawn, **bundle}
        return bundle

    def _is_due(self) -> bool:
        waited = time.monotonic() - self._published_at
        return self._live and not self._over and waited >= HTML_FRAME_S

    def _publish(self, bundle: Bundle, metadata: Bundle | None = None) -> None:
        self._published_at = time.monotonic()
        # A copy each time: a context is entered by one thread at once.
        self._context.copy().run(
            self._publisher.publish,
            data=bundle,
            metadata=metadata or {},
            transient={"display_id": self._display_id},
            update=self._shown,
        )
        self._shown = True


def _find_widget_class() -> type[LiveWidget] | None:
    try:
        from .widget import LiveWidget, is_built  # noqa: PLC0415 - 80 ms, and not everywhere
    except ImportError as error:
        _log.info("no live widget (%s); the view is HTML", error)
        return None
    return LiveWidget if is_built() else None
