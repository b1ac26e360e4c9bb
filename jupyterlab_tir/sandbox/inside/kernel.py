"""The kernel: a Jupyter kernel to every client, ready a few milliseconds after the fork.

What a stock kernel spends its start and its memory on (an application object, tornado, six threads,
a debugger) is not here. One event loop in the main thread serves the shell channel, one thread the
rest (`service.py`). Requests are answered one at a time, in order; tasks that cells have started go
on between them. Input, comms, history and debugging are refused or empty.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
import zmq
from zmq.backend import Context

from . import seeding  # in a box nothing can be imported later
from .answers import ANSWERS, error_content, refusal, reply_kind, shutdown_content
from .capture import Capture
from .channels import Request, Requests, bind, descriptor_of, sender
from .control import Control
from .execute import CellRequest, Executor
from .interrupts import Interrupts
from .publisher import Publisher, Subscribers
from .service import Service
from .shell import ChildShell, build_shell
from .streams import CellStream
from .warm_up import warm_up
from .wire import Wire, now

__all__ = ["build_shell", "serve", "warm_up"]

# Seeding is what comes first in every kernel.
_FIRST_CELLS: Final = (
    seeding.SEEDING_CODE.format(seed=0),
    seeding.SEEDING_CODE.format(seed='int.from_bytes(__import__("os").urandom(4))'),
)
_LAST_WORDS_S: Final = 0.2


class Kernel:
    """Answers the requests on the shell channel.

    Parameters
    ----------
    shell
        Runs the code.
    loop
        The main thread's.
    wire
        Packs the replies.
    executor
        Runs the cells.
    publisher
        Tells every client.
    reply
        Sends the frames of a reply on the shell channel.
    more
        Returns what has arrived there.
    """

    def __init__(
        self,
        shell: ChildShell,
        loop: asyncio.AbstractEventLoop,
        wire: Wire,
        executor: Executor,
        publisher: Publisher,
        reply: Callable[[list[bytes]], None],
        more: Callable[[], list[Request]],
    ) -> None:
        self._shell = shell
        self._loop = loop
        self._wire = wire
        self._executor = executor
        self._publisher = publisher
        self._reply = reply
        self._more = more
        self._queue: deque[Request] = deque()
        self._dropping = 0
        self._task: asyncio.Task[None] | None = None
        # One for all cells, so that context variables keep their values between them.
        self._context = contextvars.copy_context()
        self._pid = os.getpid()
        self.stopped = False

    def look(self) -> None:
        """Take in what has arrived; begin with it unless a request is being answered."""
        self._queue.extend(self._more())
        if self._task is None and self._queue:
            request = self._queue.popleft()
            dropped = self._dropping > 0 and request.kind == "execute_request"
            self._dropping = max(self._dropping - 1, 0)
            # A task of its own: a cell may cancel the one that it runs in.
            self._task = self._loop.create_task(
                self._answer(request, dropped=dropped), context=self._context
            )
            self._task.add_done_callback(self._done)

    def stop(self) -> None:
        """End the main loop; may be called from a callback of the loop only."""
        self.stopped = True
        self._loop.stop()

    def _done(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled():
            task.exception()  # of a signal handler of the code's own; nobody else asks for it
        self._task = None
        self.look()

    async def _answer(self, request: Request, *, dropped: bool) -> None:
        self._publisher.begin(request.header)
        self._publisher.status("busy")
        try:
            if dropped:
                metadata = self._metadata("aborted")
                self._send(request, {"status": "aborted"}, metadata)
            elif request.kind == "execute_request":
                await self._execute(request)
            elif request.kind == "shutdown_request":
                self._send(request, shutdown_content(request))
                self._publisher.publish("shutdown_reply", shutdown_content(request))
                self.stop()
            elif request.kind == "interrupt_request":
                self._send(request, {"status": "ok"})  # no cell runs, or this one would not
            elif request.kind == "comm_open":
                # There are no comms: the protocol wants it closed at once.
                comm: dict[str, Any] = {"comm_id": request.content.get("comm_id"), "data": {}}
                self._publisher.publish("comm_close", comm)
            elif request.kind in ANSWERS:
                self._send(request, self._plain_answer(request))
        finally:
            self._publisher.status("idle")

    def _plain_answer(self, request: Request) -> Mapping[str, Any]:
        try:
            return ANSWERS[request.kind](self._shell, request.content)
        except Exception as error:  # noqa: BLE001 - objects of the code's own can raise anything
            return error_content(error)

    async def _execute(self, request: Request) -> None:
        try:
            cell = msgspec.convert(request.content, CellRequest)
        except msgspec.ValidationError as error:
            self._send(request, refusal("ValueError", str(error)))
            return
        metadata = self._metadata("ok")
        if not cell.silent:
            count = self._shell.execution_count
            self._publisher.publish("execute_input", {"code": cell.code, "execution_count": count})
        try:
            reply = await self._executor.execute(cell)
        except BaseException as error:  # noqa: BLE001 - the code can break everything around it
            reply = error_content(error)
        if os.getpid() != self._pid:
            leave_forked_process(reply)
        metadata["status"] = reply["status"]
        self._send(request, reply, metadata)
        if reply["status"] == "error" and cell.stop_on_error and not cell.silent:
            self._queue.extend(self._more())
            self._dropping = len(self._queue)

    def _metadata(self, status: str) -> dict[str, Any]:
        return {"started": now(), "engine": self._wire.session, "status": status}

    def _send(
        self,
        request: Request,
        content: Mapping[str, Any],
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        self._reply(
            self._wire.pack(
                reply_kind(request),
                content,
                parent=request.header,
                metadata=metadata,
                to=request.identities,
            )
        )


def leave_forked_process(reply: Mapping[str, Any]) -> None:
    """End a process that a cell has forked where the cell ends: there is one kernel only."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(0 if reply["status"] == "ok" else 1)


def serve(
    shell: ChildShell, connection: Mapping[str, Any], *, on_bound: Callable[[], None]
) -> None:
    """Be a kernel until a client shuts it down. Called once, in the main thread.

    Parameters
    ----------
    shell
        From `build_shell`.
    connection
        The content of a connection file.
    on_bound
        Called when all sockets are bound and all threads run: afterwards nothing more is opened.

    Raises
    ------
    zmq.ZMQError
        Where a socket cannot be bound.
    """
    loop = asyncio.SelectorEventLoop()
    asyncio.set_event_loop(loop)
    context = Context()
    wire = Wire(str(connection["key"]).encode(), str(connection["signature_scheme"]))
    iopub = bind(context, zmq.XPUB, connection, "iopub")
    requests, control, heartbeat, stdin = (
        bind(context, zmq.ROUTER, connection, name) for name in ("shell", "control", "hb", "stdin")
    )
    interrupts = Interrupts(loop)
    publisher = Publisher(wire, sender(iopub), interrupts)
    subscribers = Subscribers(wire, iopub, interrupts.lock)
    keep_chars = shell.formatter.keep_chars
    stdout = CellStream("stdout", 1, publisher, keep_chars)
    stderr = CellStream("stderr", 2, publisher, keep_chars)
    capture = Capture({1: stdout, 2: stderr}, interrupts.lock)
    inbox = Requests(wire, requests)

    def more() -> list[Request]:
        subscribers.welcome()
        return inbox.receive()

    executor = Executor(shell, interrupts, stdout, stderr, capture)
    kernel = Kernel(shell, loop, wire, executor, publisher, sender(requests), more)
    ended = threading.Event()

    def stop() -> None:
        """Stop the main loop, and leave anyway where a cell keeps it."""
        loop.call_soon_threadsafe(kernel.stop)
        if not ended.wait(_LAST_WORDS_S):
            with contextlib.suppress(OSError):  # in a box that allows no signals
                if os.getpgrp() == os.getpid():
                    os.killpg(os.getpid(), signal.SIGKILL)
            os._exit(0)

    service = Service(
        wire,
        control,
        heartbeat,
        iopub,
        publisher,
        subscribers,
        capture,
        [stdout, stderr],
        Control(wire, control, publisher, stop).answer,
    )
    shell.enter_folder()
    shell.publisher = publisher
    shell.streams = sys.stdout, sys.stderr = stdout, stderr
    os.register_at_fork(after_in_child=lambda: _forked(shell, publisher, capture))
    loop.add_reader(descriptor_of(requests), kernel.look)
    service.start()
    on_bound()
    publisher.status("starting")
    _get_ready(loop, executor, publisher)
    loop.call_soon(kernel.look)
    while not kernel.stopped:
        # A background task of the code's own ends the loop by SystemExit, its signal handler by
        # anything at any moment. Neither ends the kernel.
        with contextlib.suppress(BaseException):
            loop.run_forever()
    ended.set()
    service.stop()
    for socket in (requests, iopub, stdin):
        socket.close()
    context.term()
    if os.name == "posix" and os.getpgrp() == os.getpid():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        with contextlib.suppress(OSError):  # in a box that allows no signals
            os.killpg(os.getpid(), signal.SIGTERM)  # what the code has started


def _get_ready(loop: asyncio.AbstractEventLoop, executor: Executor, publisher: Publisher) -> None:
    """Do what need not be done before the kernel can be connected to; run a cell that nobody sees.

    The first cell of a fork copies the pages that running code writes to; a kernel that was started
    ahead has that behind it.
    """
    publisher.follow_threads()
    for code in _FIRST_CELLS:
        loop.run_until_complete(executor.execute(CellRequest(code, silent=True)))


def _forked(shell: ChildShell, publisher: Publisher, capture: Capture) -> None:
    """Give a process that a cell has forked plain streams, and leave the sockets to its parent.

    The threads are not forked with it, and a message from here would break the parent's.
    """
    publisher.forget()
    capture.forget()
    shell.publisher, shell.streams = None, ()
    for number, name in ((1, "stdout"), (2, "stderr")):
        stream = open(number, "w", buffering=1, closefd=False, encoding="utf-8")  # noqa: SIM115 - it stays
        setattr(sys, name, stream)
