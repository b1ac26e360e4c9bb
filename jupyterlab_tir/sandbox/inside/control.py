"""The control channel: what must be answered while a cell computes."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Mapping
from typing import Any

from zmq.backend import Socket

from .answers import KERNEL_INFO, refusal, reply_kind, shutdown_content
from .channels import Request, sender
from .publisher import Publisher
from .wire import Wire


class Control:
    """Answers the requests on the control channel, in the service's thread.

    Parameters
    ----------
    wire
        Packs the replies.
    socket
        The channel's.
    publisher
        Tells every client.
    stop
        Called at a shutdown, after the reply.
    """

    def __init__(
        self,
        wire: Wire,
        socket: Socket,
        publisher: Publisher,
        stop: Callable[[], None],
    ) -> None:
        self._wire = wire
        self._reply = sender(socket)
        self._publisher = publisher
        self._stop = stop
        self._main = threading.main_thread().ident

    def answer(self, request: Request) -> None:
        """Answer a request; one of an unknown kind gets no reply."""
        self._publisher.status("busy", parent=request.header)
        kind = request.kind
        if kind == "kernel_info_request":
            self._send(request, KERNEL_INFO)
        elif kind == "interrupt_request":
            self._interrupt()
            self._send(request, {"status": "ok"})
        elif kind == "debug_request":
            self._send(request, refusal("NotImplementedError", "this kernel has no debugger"))
        elif kind == "shutdown_request":
            self._send(request, shutdown_content(request))
            self._publisher.publish(
                "shutdown_reply", shutdown_content(request), parent=request.header
            )
        self._publisher.status("idle", parent=request.header)
        if kind == "shutdown_request":
            self._stop()

    def _send(self, request: Request, content: Mapping[str, Any]) -> None:
        frames = self._wire.pack(
            reply_kind(request), content, parent=request.header, to=request.identities
        )
        self._reply(frames)

    def _interrupt(self) -> None:
        with contextlib.suppress(OSError):  # in a box that allows no signals at all
            if os.name == "posix" and os.getpgrp() == os.getpid():
                os.killpg(os.getpid(), signal.SIGINT)  # what the code has started, too
                return
        if self._main is not None:
            signal.pthread_kill(self._main, signal.SIGINT)
