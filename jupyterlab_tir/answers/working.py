"""Inside the killable worker: take a request, run its operation, send what comes out, wait.

Nothing here is saved from hostile text except the parent's time: the process limits itself, and
ends wherever it can no longer be trusted. An end is an answer ("beyond the limits"), so nothing is
caught that need not be:

1. Standard input and output become private pipes; what an operation prints goes nowhere.
2. Signals are set to what the limits need, whatever the parent had ignored or blocked.
3. The service is imported: a module with `OPERATIONS`, a table of functions by name, and perhaps
   `warm`, which imports what only some operations need.
4. Limits are set: memory above what is in use now, depth of recursion, files, no core dump.
5. "ready" is sent, and requests are served, each under a timer of its own that ends the process
   even where the parent is no longer there to do so.
6. Left alone for a moment, the process runs `warm`, and says "away" and "ready" around it.

The process ends with its standard input, with its parent (a fork of the parent may hold the input
open), on exhausted memory or recursion, and on any exception of an operation.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import select
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Literal, NoReturn

import msgspec

if sys.platform != "win32":
    import resource

HEADER_BYTES = 4
"""A frame is its size, in so many bytes and big-endian, and one message as MessagePack."""

_MEMORY_BYTES = 1 << 30
_RECURSION = 3000
_OPEN_FILES = 64
# Room for the byte code that a first import leaves behind, and for nothing worth having.
_FILE_BYTES = 4 << 20
PATIENCE = 2.0
"""How much longer than a text's limit of work the parent waits, since machines are busy."""

_MARGIN_S = 1.0
_IDLE_S = 0.2
_LOOK_AFTER_PARENT_S = 2.0
_BEYOND_LIMITS = 3


class Request(msgspec.Struct, frozen=True, array_like=True):
    """One thing to work out.

    Attributes
    ----------
    number
        Comes back in the reply.
    operation
        Name of a function in the service's `OPERATIONS`.
    payload
        What the function works on.
    timeout_s
        How much work it may take, in seconds of the processor.
    """

    number: int
    operation: str
    payload: bytes
    timeout_s: float


class Reply(msgspec.Struct, frozen=True, array_like=True):
    """What the process sends.

    Attributes
    ----------
    number
        Of the request; 0 where the process speaks of itself ("away", "ready").
    state
        "done", or "unknown" for an operation that the service does not have.
    payload
        What the operation returned.
    """

    number: int
    state: Literal["away", "ready", "done", "unknown"]
    payload: bytes = b""


def framed(message: Request | Reply) -> bytes:
    r"""Return a message as it goes through a pipe.

    >>> framed(Reply(1, "done", b"4"))
    b'\x00\x00\x00\n\x93\x01\xa4done\xc4\x014'
    """
    body = msgspec.msgpack.encode(message)
    return len(body).to_bytes(HEADER_BYTES, "big") + body


def main(service: str, parent: int) -> NoReturn:
    """Serve requests until there is nobody to serve.

    Parameters
    ----------
    service
        Module whose `OPERATIONS` are served.
    parent
        Process id of the parent.
    """
    pipes = _Pipes(parent)
    _reset_signals()
    module = importlib.import_module(service)
    operations: Mapping[str, Callable[[Request], bytes]] = module.OPERATIONS
    warm: Callable[[], None] | None = getattr(module, "warm", None)
    _limit()
    pipes.send(Reply(0, "ready"))
    while True:
        if warm is not None and not pipes.is_readable(_IDLE_S):
            pipes.send(Reply(0, "away"))
            warm()
            warm = None
            pipes.send(Reply(0, "ready"))
        _serve(pipes, operations)


@contextlib.contextmanager
def off_the_clock() -> Iterator[None]:
    """Meanwhile, work is not counted: what has to be loaded once is no text's fault."""
    left_s, _ = signal.setitimer(signal.ITIMER_PROF, 0)
    try:
        yield
    finally:
        if left_s:
            signal.setitimer(signal.ITIMER_PROF, left_s)


def _serve(pipes: _Pipes, operations: Mapping[str, Callable[[Request], bytes]]) -> None:
    request = pipes.receive()
    # A text's limit is work, so that a busy machine does not make an answer incomparable.
    signal.setitimer(signal.ITIMER_PROF, request.timeout_s)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE * request.timeout_s + _MARGIN_S)
    operation = operations.get(request.operation)
    if operation is None:
        reply = Reply(request.number, "unknown")
    else:
        try:
            reply = Reply(request.number, "done", operation(request))
        except (MemoryError, RecursionError):
            os._exit(_BEYOND_LIMITS)  # at once: this heap can hold neither a report nor a clean-up
    pipes.send(reply)
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)


class _Pipes:
    """The two ends of the conversation, taken away from everything else in the process."""

    def __init__(self, parent: int) -> None:
        self._parent = parent
        self._requests, self._replies = os.dup(0), os.dup(1)
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 0)
        os.dup2(nowhere, 1)
        os.close(nowhere)
        self._poll = select.poll()
        self._poll.register(self._requests, select.POLLIN)

    def is_readable(self, seconds: float) -> bool:
        """Whether something (or the end) arrives within this time."""
        return bool(self._poll.poll(seconds * 1000))

    def receive(self) -> Request:
        size = int.from_bytes(self._exactly(HEADER_BYTES), "big")
        return msgspec.msgpack.decode(self._exactly(size), type=Request)

    def send(self, reply: Reply) -> None:
        left = memoryview(framed(reply))
        while left:
            try:
                left = left[os.write(self._replies, left) :]
            except BrokenPipeError:
                os._exit(0)  # nobody is left to tell

    def _exactly(self, size: int) -> bytes:
        read = bytearray()
        while len(read) < size:
            while not self.is_readable(_LOOK_AFTER_PARENT_S):
                if os.getppid() != self._parent:
                    os._exit(0)
            piece = os.read(self._requests, size - len(read))
            if not piece:
                os._exit(0)
            read += piece
        return bytes(read)


def _reset_signals() -> None:
    """Let the timer end this process, and Ctrl-C in a terminal be the parent's alone."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def _limit() -> None:
    sys.setrecursionlimit(_RECURSION)
    limits = {
        # Linux hands crashes to a collecting program at 0 bytes as well, but not at 1.
        resource.RLIMIT_CORE: 1 if sys.platform == "linux" else 0,
        resource.RLIMIT_NOFILE: _OPEN_FILES,
        resource.RLIMIT_FSIZE: _FILE_BYTES,
    }
    statistics = Path("/proc/self/statm")
    if statistics.exists():  # other systems neither say their size nor keep to such a limit
        pages = int(statistics.read_text(encoding="ascii").split()[0])
        limits[resource.RLIMIT_AS] = pages * os.sysconf("SC_PAGE_SIZE") + _MEMORY_BYTES
    for kind, wanted in limits.items():
        held = [old for old in resource.getrlimit(kind) if old != resource.RLIM_INFINITY]
        lowered = min([wanted, *held])
        resource.setrlimit(kind, (lowered, lowered))
