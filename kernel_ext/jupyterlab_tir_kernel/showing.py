"""A run's way from its events to its output and the pages that watch it.

Its events come in on the engine's thread, and there the live output is published and kept up to
date, so that a cell that blocks freezes nothing. What it ends in is made on the thread that asks,
or on one of its own. A fault of the view is logged and ends the view; the run goes on.
"""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

from jupyterlab_tir.events import Event, RunStarted
from jupyterlab_tir.solving.engine import engine

from .display import HTML_FRAME_S
from .following import NOT_BEGUN
from .hub import hub
from .pump import Pump

if TYPE_CHECKING:
    from .display import CellOutput
    from .driving import Signal
    from .hub import WatchedRun


UNSHOWN = "The result could not be drawn, which is a fault of jupyterlab_tir; see `%tir show {}`."


class Showing:
    """Shows a run in an output, and to pages.

    Parameters
    ----------
    begun
        Is made done when the output shows that the run has begun.
    """

    def __init__(self, run: WatchedRun, output: CellOutput, begun: Signal) -> None:
        self._run = run
        self._output = output
        self._begun = begun
        self._pump: Pump | None = None
        self._lock = threading.Lock()
        self._concluded = False
        self._catching_up = False
        hub().add(run)
        run.handle.listen(self._take)

    def _take(self, event: Event) -> None:
        self._run.take(event)
        if self._pump is not None:
            self._pump.wake()
            if not self._catching_up:
                self._catching_up = True
                # By the loop, which logs what goes wrong: here it would end the run.
                asyncio.get_running_loop().call_soon(self._catch_up)
        elif isinstance(event, RunStarted):
            # After all that is told at once, of an earlier part as well; before the tasks that ask
            # the server, which are made later.
            asyncio.get_running_loop().call_soon(self._open)

    def _catch_up(self) -> None:
        self._catching_up = False
        self._run.catch_up()

    def _open(self) -> None:
        self._pump = Pump(self._run, engine())
        self._run.begin(self._pump.wake_soon)
        snapshot = self._run.snapshot()
        if snapshot is not None:
            self._output.open(snapshot)
        if not self._begun.done():
            self._begun.set_result(None)
        self._tick()

    def _tick(self) -> None:
        if not self._run.handle.done and self._output.update(self._run):
            asyncio.get_running_loop().call_later(HTML_FRAME_S, self._tick)

    def conclude(self) -> None:
        """Replace the live view by the static bundle, on this thread; a second time does nothing.

        A run that began and has no end by then is shown as cut short.
        """
        with self._lock:
            if self._concluded:
                return
            self._concluded = True
        try:
            self._replace()
        finally:
            if not self._run.concluded:
                self._run.unshown = UNSHOWN.format(self._run.run_id)
                self._output.withdraw(self._run.unshown)
            # After its output, which some of them have then.
            self._run.tell_conclusion()

    def _replace(self) -> None:
        from .bundle import metadata_of, static_bundle  # noqa: PLC0415 - with the first run

        if self._run.faulty:
            return
        snapshot = self._run.saved()
        if snapshot is None:
            self._run.unshown = NOT_BEGUN
            self._output.withdraw(NOT_BEGUN)
            return
        bundle = static_bundle(snapshot)
        self._run.metadata = metadata_of(bundle)
        self._output.finish(bundle, self._run.metadata)
        self._run.bundle = bundle

    def conclude_when_done(self) -> None:
        """The same as soon as the run is over: its cell has ended, or will."""
        if self._run.handle.done:
            self.conclude()
        else:
            self._run.handle.when_done(self._conclude_aside)

    def _conclude_aside(self) -> None:
        # On the engine's thread the streams of other runs would wait for it.
        if engine().closing:
            # The process exits, and begins no more threads.
            self.conclude()
        else:
            threading.Thread(target=self.conclude, name="tir-view").start()
