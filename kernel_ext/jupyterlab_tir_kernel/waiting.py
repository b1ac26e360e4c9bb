"""Waiting for a server that was started but does not answer yet.

Only the embedded server (or one of `tir serve`) leaves a note that it was started; a server that is
named by its address is asked as it is.
"""

from __future__ import annotations

import concurrent.futures
import os
import time
from collections.abc import Callable

from jupyterlab_tir.config import ResolvedConfig
from jupyterlab_tir.errors import NoServerError
from jupyterlab_tir.serving.state import ServerState, read_state

LOADING_LIMIT_S = 300.0
"""Seconds to wait for a server to load: a small model takes half a minute, a large one minutes."""

Tell = Callable[[str], None]


def started_server(resolved: ResolvedConfig) -> ServerState | None:
    """The server that was started here and would be asked; it may still be loading."""
    return read_state() if resolved.config.base_url is None else None


def begin_waiting(state: ServerState, tell: Tell) -> concurrent.futures.Future[str]:
    """Wait on the engine until the server answers; `tell` gets words about once a second.

    The future gives the served model's name, or raises a `NoServerError`.
    """
    from jupyterlab_tir.solving.engine import engine  # noqa: PLC0415 - loads the engine

    return engine().submit(_wait(state, tell))


async def _wait(state: ServerState, tell: Tell) -> str:
    from jupyterlab_tir.errors import ServeError  # noqa: PLC0415 - next to what raises it
    from jupyterlab_tir.serving.readiness import wait_until_ready  # noqa: PLC0415 - loads httpx
    from jupyterlab_tir.serving.state import is_alive  # noqa: PLC0415 - the same

    def progress(_: float, stage: str) -> None:
        tell(loading_words(state, stage))

    try:
        return await wait_until_ready(
            state,
            limit=time.monotonic() + LOADING_LIMIT_S,
            environment=os.environ,
            progress=progress,
        )
    except ServeError as error:
        if not is_alive(state):
            raise NoServerError(str(error)) from None
        raise NoServerError(
            f"{loading_words(state, 'not answering')}: run the cell again later, or look at its "
            f"log, {state.log_path}."
        ) from None


def loading_words(state: ServerState, stage: str) -> str:
    """How long the server has been loading, and what it does.

    >>> state = ServerState(base_url="http://127.0.0.1:1/v1", model="m", pid=1, process_start="",
    ...     log_path="", detached=False, kind="embedded", started_at=time.time() - 12.3)
    >>> loading_words(state, "loading weights")
    'The embedded server is still loading after 12 s (loading weights)'
    """
    # The note holds wall-clock time, since it is read by other processes.
    waited = max(0.0, time.time() - state.started_at)
    kind = "embedded server" if state.kind == "embedded" else "server"
    return f"The {kind} is still loading after {waited:.0f} s ({stage})"


def refuse_while_loading(state: ServerState | None, error: NoServerError) -> NoServerError:
    """What to say of a server that does not answer: that it is loading, if it is."""
    if state is None:
        return error
    return NoServerError(
        f"{loading_words(state, 'not answering yet')}: wait, or look at its log, {state.log_path}."
    )
