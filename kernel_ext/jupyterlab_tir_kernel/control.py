"""What pages ask of the runs of this kernel, and the answers.

They ask over the kernel's control channel, with messages of the type `tir_request`, which is served
while a cell blocks and after a page was reloaded; or with messages of a widget. Every request is
answered at once. Nobody vouches for one: what is no request is refused in words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import msgspec

from jupyterlab_tir.record.decoding import MOST_SAMPLES
from jupyterlab_tir.viewing.wire import to_page

from .hub import Deliver, Hub, WatchedRun, hub

REPLY, BATCH = "tir_reply", "tir_batch"

MOST_OPEN = MOST_SAMPLES
"""Transcripts that a page may have open: those of all samples."""

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Opened = Annotated[
    tuple[Annotated[int, msgspec.Meta(ge=0, lt=2**31)], ...], msgspec.Meta(max_length=MOST_OPEN)
]
Json = dict[str, Any]
Reach = Callable[[str, str], Deliver]
"""How batches reach a page, from the ids of a run and the page."""

OK: Json = {"status": "ok"}
UNKNOWN_RUN: Json = {"status": "unknown-run"}
UNKNOWN_PAGE: Json = {"status": "unknown-page"}
NOT_OVER: Json = {"status": "not-over"}


class _Request(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag=str.lower):
    """A request, by its kind."""


class Hello(_Request, frozen=True, kw_only=True):
    """A page wants to watch a run, with these transcripts."""

    run: Name
    page: Name
    opened: Opened = ()


class Open(_Request, frozen=True, kw_only=True):
    """A page wants these transcripts and no others."""

    run: Name
    page: Name
    opened: Opened


class Alive(_Request, frozen=True, kw_only=True):
    """A page still watches."""

    run: Name
    page: Name


class Bye(_Request, frozen=True, kw_only=True):
    """A page watches no more."""

    run: Name
    page: Name


class Stop(_Request, frozen=True, kw_only=True):
    """Someone ends a run."""

    run: Name


class Final(_Request, frozen=True, kw_only=True):
    """A page wants what a run's output shows for good, or to be told once when that is known."""

    run: Name
    page: Name | None = None


class Runs(_Request, frozen=True, kw_only=True):
    """A page wants to know which runs there are."""


Request = Hello | Open | Alive | Bye | Stop | Final | Runs


def answer(content: object, runs: Hub, reach: Reach) -> Json:
    """Answer one request.

    Examples
    --------
    >>> answer({"kind": "runs"}, Hub(), lambda run, page: print)
    {'status': 'ok', 'runs': []}
    >>> answer({"kind": "stop"}, Hub(), lambda run, page: print)["words"]
    'This is no request to the runs of a kernel: Object missing required field `run`'
    """
    try:
        request = msgspec.convert(content, Request)
    except msgspec.ValidationError as error:
        words = f"This is no request to the runs of a kernel: {str(error)[:200]}"
        return {"status": "refused", "words": words}
    if isinstance(request, Runs):
        return {"status": "ok", "runs": [_listed(run) for run in runs.runs() if run.begun]}
    run = runs.find(request.run)
    if run is None:
        return UNKNOWN_RUN
    if isinstance(request, Stop):
        run.stop()
        return OK
    if isinstance(request, Final):
        return _final(run, request.page, runs, reach)
    return _answer_watching(run, request, reach)


def _listed(run: WatchedRun) -> Json:
    return {
        "runId": run.run_id,
        "cellId": run.cell.id,
        "session": run.cell.session,
        "over": run.concluded,
    }


def _final(run: WatchedRun, page: str | None, runs: Hub, reach: Reach) -> Json:
    if page is not None and run.wait_for_conclusion(page, reach(run.run_id, page)):
        return NOT_OVER
    if run.unshown is not None:
        return {"status": "refused", "words": run.unshown}
    if run.bundle is None:
        return NOT_OVER
    reply: Json = {"status": "ok", "bundle": run.bundle, "metadata": run.metadata}
    if runs.is_last_of_cell(run):
        # Where it belongs if no output shows it.
        reply |= {"cellId": run.cell.id, "executionCount": run.cell.number}
    return reply


def _answer_watching(run: WatchedRun, request: Hello | Open | Alive | Bye, reach: Reach) -> Json:
    if isinstance(request, Hello):
        snapshot = run.hello(request.page, request.opened, reach(request.run, request.page))
        return UNKNOWN_RUN if snapshot is None else {"status": "ok", "snapshot": to_page(snapshot)}
    if isinstance(request, Open):
        return OK if run.open(request.page, request.opened) else UNKNOWN_PAGE
    if isinstance(request, Alive):
        return OK if run.alive(request.page) else UNKNOWN_PAGE
    run.bye(request.page)
    return OK


def answer_message(kernel: Any, stream: Any, ident: Any, message: Json) -> None:  # noqa: ANN401 - ipykernel's
    """Answer a message of the control channel; on its thread."""

    def reach(run: str, page: str) -> Deliver:
        def deliver(batch: Json) -> None:
            # Without a parent: it belongs to no cell's output.
            content = {"run": run, "page": page, "batch": batch}
            kernel.session.send(kernel.iopub_socket, BATCH, content, ident=BATCH.encode())

        return deliver

    reply = answer(message.get("content"), hub(), reach)
    kernel.session.send(stream, REPLY, reply, message, ident)
