"""A run that goes on when its cell has ended, as the user holds it."""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Generator
from typing import TYPE_CHECKING

from IPython import get_ipython

from jupyterlab_tir.errors import TirError

from .driving import FRAME_S
from .faults import in_one_line, shown_in_one_line

if TYPE_CHECKING:
    from jupyterlab_tir import RunResult

    from .hub import WatchedRun
    from .publishing import Bundle


STILL_GOING_ON = "The waiting was interrupted; the run goes on. `%tir stop` ends it."


class BackgroundRun:
    """A run in the background: what `%%tir --background` returns, and `--out` binds.

    ``await run`` waits for its `RunResult`; ``run.result`` is that once it is over, and None until
    then; ``run.stop()`` ends it and keeps what it has. An interrupt ends the waiting, not the run.
    When the kernel exits the run ends.

    Parameters
    ----------
    shown_in
        The number of the cell that shows it already.

    Attributes
    ----------
    run_id
        Its name for `%tir show` and `%tir stop`.
    """

    def __init__(self, run: WatchedRun, *, shown_in: int) -> None:
        self.run_id = run.run_id
        self._run = run
        self._shown_in = shown_in

    @property
    def done(self) -> bool:
        """Whether it is over."""
        return self._run.handle.done

    @property
    def result(self) -> RunResult | None:
        """What it concluded, or None while it goes on.

        Raises
        ------
        TirError
            If it failed; shown as one line.
        """
        if not self.done:
            return None
        try:
            return self._run.handle.result()
        except TirError as error:
            raise in_one_line(error) from None

    def stop(self) -> None:
        """End it within a second and keep what it has; returns at once."""
        self._run.stop()

    def __await__(self) -> Generator[object, None, RunResult]:
        return self._awaited().__await__()

    async def _awaited(self) -> RunResult:
        over: concurrent.futures.Future[None] = concurrent.futures.Future()
        self._run.handle.when_done(lambda: over.set_result(None))
        waiting = asyncio.wrap_future(over)
        try:
            while not waiting.done():
                # In frames: ipykernel's interrupt does not wake a loop that sleeps.
                await asyncio.wait([waiting], timeout=FRAME_S)
        except asyncio.CancelledError as interrupted:
            # The same exception, or asyncio's own timeouts would not know it.
            shown_in_one_line(interrupted, STILL_GOING_ON)
            raise
        result = self.result
        assert result is not None  # noqa: S101 - it is over
        return result

    def __repr__(self) -> str:
        how = "over" if self.done else "stopping" if self._run.stopping else "going on"
        return f"<TIR run {self.run_id}, {how}>"

    def _ipython_display_(self) -> None:
        """Show nothing in the cell that shows the run already.

        Raises
        ------
        NotImplementedError
            IPython's word for: go on with the other forms.
        """
        shell = get_ipython()
        if shell is None or shell.execution_count != self._shown_in:
            raise NotImplementedError

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> tuple[Bundle, Bundle]:
        """The static bundle of a run that is over; until then IPython shows a line of text."""
        del include, exclude
        return self._run.bundle or {}, self._run.metadata
