"""The one thread beside the main one: it answers while a cell computes.

It serves the control and heartbeat channels, greets subscribers, takes over what is written past
the streams, and sends text that has waited. While C code keeps the interpreter's lock it waits.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable
from typing import Final

import zmq
from zmq.backend import Socket

from .capture import Capture
from .channels import Inbox, Request, Requests, descriptor_of, sender
from .publisher import Publisher, Subscribers
from .streams import OLD_S, CellStream
from .wire import Wire

_STACK_BYTES: Final = 512 * 1024
_TICK_MS: Final = int(1000 * OLD_S)
_QUIET_TICKS: Final = 10


class Service:
    """The thread and what it waits for.

    Parameters
    ----------
    wire
        Knows the key.
    control, heartbeat, iopub
        Sockets; the first two are this thread's own from now on.
    publisher, subscribers, capture, streams
        What is to be served.
    answer
        Called in the thread with each request on the control channel.
    """

    def __init__(
        self,
        wire: Wire,
        control: Socket,
        heartbeat: Socket,
        iopub: Socket,
        publisher: Publisher,
        subscribers: Subscribers,
        capture: Capture,
        streams: list[CellStream],
        answer: Callable[[Request], None],
    ) -> None:
        self._requests = Requests(wire, control)
        self._control = control
        self._beats = Inbox(heartbeat)
        self._beat = sender(heartbeat)
        self._heartbeat = heartbeat
        self._iopub_descriptor = descriptor_of(iopub)
        self._publisher = publisher
        self._subscribers = subscribers
        self._capture = capture
        self._captured = set(capture.descriptors)
        self._streams = streams
        self._answer = answer
        self._bell, self._ringer = os.pipe()
        os.set_blocking(self._bell, False)
        os.set_blocking(self._ringer, False)
        self._asleep = False
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="kernel service", daemon=True)

    def start(self) -> None:
        """Start the thread; from now on no more threads are needed."""
        self._publisher.stir = self._stir
        before = threading.stack_size(_STACK_BYTES)  # counted by the limit on memory
        try:
            self._thread.start()
        finally:
            threading.stack_size(before)

    def stop(self) -> None:
        """End the thread and close its sockets."""
        self._stopping = True
        self._ring()
        self._thread.join(timeout=1)

    def _stir(self) -> None:
        if self._asleep:
            self._asleep = False
            self._ring()

    def _ring(self) -> None:
        with contextlib.suppress(OSError):  # full: it rings already; closed: by the code
            os.write(self._ringer, b"!")

    def _run(self) -> None:
        # Signals are to wake the main thread.
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, signal.NSIG))
        poller = zmq.Poller()
        for waited in (
            self._control,
            self._heartbeat,
            self._iopub_descriptor,
            self._bell,
            *self._captured,
        ):
            poller.register(waited, zmq.POLLIN)
        published = quiet = 0
        while not self._stopping:
            ready = dict(poller.poll(None if self._asleep else _TICK_MS))
            if self._bell in ready:
                with contextlib.suppress(BlockingIOError):
                    os.read(self._bell, 64)
            self._serve_sockets()
            self._drain(poller, ready)
            for stream in self._streams:
                stream.flush_old()
            # A kernel at work ticks on; waking it for each cell would cost each cell more.
            waiting = any(stream.holds_text for stream in self._streams)
            quiet = 0 if waiting or published != self._publisher.published else quiet + 1
            published = self._publisher.published
            if quiet >= _QUIET_TICKS:
                self._asleep = True
                # Text that came just before was not told to a sleeper.
                self._asleep = not any(stream.holds_text for stream in self._streams)
        self._control.close()
        self._heartbeat.close()

    def _serve_sockets(self) -> None:
        for beat in self._beats.receive():
            self._beat(beat)
        self._subscribers.welcome()
        for request in self._requests.receive():
            self._answer(request)

    def _drain(self, poller: zmq.Poller, ready: dict[object, int]) -> None:
        if any(descriptor in ready for descriptor in self._captured):
            self._capture.drain()
            # The main thread, which drains too, may have found that the code has closed them.
            for descriptor in self._captured.difference(self._capture.descriptors):
                poller.unregister(descriptor)
                self._captured.discard(descriptor)
