"""One process that can be killed, as its parent sees it: starting, asking, ending.

It gets this interpreter's path, an environment without anything secret, no terminal, and two pipes
that nobody else has. It says of itself when it is ready, and when it is away, importing what it
will need later; that time is not the request's fault, which then gets at least half of its own.
`working` is the other side.
"""

from __future__ import annotations

import json
import math
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

import msgspec

from .working import HEADER_BYTES, PATIENCE, Reply, Request, framed

LARGEST_BYTES = 8 << 20
"""A longer reply is beyond the limits."""

_START_S = 30.0
_WARM_S = 30.0
_PIECE_BYTES = 1 << 16

_ENVIRONMENT = (
    # What an interpreter may need in order to be found and to load; nothing that is someone's own.
    "PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "DYLD_FALLBACK_LIBRARY_PATH",
    "PYTHONHOME",
)
_BOOTSTRAP = """
import json, sys
path, service, parent = json.loads(sys.argv[1])
sys.path += path
from jupyterlab_tir.answers.working import main
main(service, parent)
"""


class _LostError(Exception):
    """The process is gone, or says what it cannot say."""


class Process:
    """One process that serves requests, and the conversation with it.

    Parameters
    ----------
    service
        Module whose `OPERATIONS` it serves.
    show_errors
        Whether its tracebacks reach this process's standard error.

    Raises
    ------
    OSError
        Where the system starts no process.

    Attributes
    ----------
    is_ready
        Whether it said so, and not yet that it is away.
    is_closed
        Whether it was ended on purpose under a call.
    trouble
        Why it never became ready, where that was waited for.
    """

    def __init__(self, service: str, *, show_errors: bool) -> None:
        self._popen = subprocess.Popen(  # noqa: S603 - our own module
            [*_interpreter(), "-c", _BOOTSTRAP, json.dumps([_path(), service, os.getpid()])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if show_errors else subprocess.DEVNULL,
            bufsize=0,
            cwd="/",
            env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
            # What a process finds must not hang on the order of a set.
            | {"PYTHONHASHSEED": "0"},
            start_new_session=True,
        )
        self._requests = cast("IO[bytes]", self._popen.stdin)
        self._replies = cast("IO[bytes]", self._popen.stdout)
        for pipe in (self._requests, self._replies):
            os.set_blocking(pipe.fileno(), False)
        self._read = bytearray()
        self._changed_at = time.monotonic()
        self._was_ready = False
        self.is_ready = False
        self.is_closed = False
        self.trouble = ""

    def ask(self, request: Request) -> Reply | None:
        """Send a request and wait for its reply; None where there is none in time."""
        try:
            reply = self._converse(request)
        except _LostError:
            reply, reason = None, "it ended before it was ready"
        else:
            reason = f"it was not ready within {_START_S:g} s"
        if not (self._was_ready or self.is_closed):
            self.trouble = reason
        return reply

    def is_alive(self) -> bool:
        """Whether it can be asked something; takes in what it has said of itself."""
        try:
            while self._wait(0):
                if self._receive() is not None:
                    return False  # nobody asked
        except _LostError:
            return False
        return self._popen.poll() is None

    def close(self) -> None:
        """End it under a call of another thread, which then sees to the rest."""
        self.is_closed = True
        self.kill()

    def kill(self) -> None:
        """End it, and leave the rest to `end`."""
        self._popen.kill()

    def end(self) -> None:
        """Leave nothing of it: neither process nor zombie nor pipe."""
        self._popen.kill()
        self._requests.close()
        self._replies.close()
        self._popen.wait()

    def forget(self) -> None:
        """Leave it to the process that started it."""
        self._requests.close()
        self._replies.close()
        self._popen.poll()  # notices that it is no child of this process

    def _converse(self, request: Request) -> Reply | None:
        taken = time.monotonic()
        unsent = memoryview(framed(request))
        while True:
            unsent = self._send(unsent)
            left_s = self._deadline(request, taken) - time.monotonic()
            # What has already come is taken even if this side was kept from looking in time.
            if not self._wait(max(left_s, 0), sending=bool(unsent)):
                return None
            reply = self._receive()
            if reply is not None:
                if reply.number != request.number:
                    raise _LostError
                return reply

    def _deadline(self, request: Request, taken: float) -> float:
        if not self.is_ready:
            return self._changed_at + (_WARM_S if self._was_ready else _START_S)
        return max(taken, self._changed_at) + PATIENCE * request.timeout_s

    def _send(self, unsent: memoryview) -> memoryview:
        try:
            while unsent:
                unsent = unsent[os.write(self._requests.fileno(), unsent) :]
        except BlockingIOError:
            pass  # the rest goes when there is room
        except BrokenPipeError as error:
            raise _LostError from error
        return unsent

    def _wait(self, seconds: float, *, sending: bool = False) -> bool:
        """Wait until something can be read, or written if that is wanted."""
        poll = select.poll()
        poll.register(self._replies.fileno(), select.POLLIN)
        if sending:
            poll.register(self._requests.fileno(), select.POLLOUT)
        return bool(poll.poll(math.ceil(seconds * 1000)))

    def _receive(self) -> Reply | None:
        """Read what is there; return the reply that this completes, if any."""
        try:
            piece = os.read(self._replies.fileno(), _PIECE_BYTES)
        except BlockingIOError:
            return None
        if not piece:
            raise _LostError
        self._read += piece
        replies = [message for message in self._messages() if not self._is_about_itself(message)]
        if len(replies) > 1:
            raise _LostError
        return replies[0] if replies else None

    def _messages(self) -> Iterator[Reply]:
        """Take the whole messages out of what was read."""
        while len(self._read) >= HEADER_BYTES:
            end = HEADER_BYTES + int.from_bytes(self._read[:HEADER_BYTES], "big")
            if end > LARGEST_BYTES:
                raise _LostError
            if len(self._read) < end:
                return
            try:
                yield msgspec.msgpack.decode(self._read[HEADER_BYTES:end], type=Reply)
            except msgspec.DecodeError as error:
                raise _LostError from error
            del self._read[:end]

    def _is_about_itself(self, message: Reply) -> bool:
        if message.number:
            return False
        self.is_ready = message.state == "ready"
        self._was_ready |= self.is_ready
        self._changed_at = time.monotonic()
        return True


def _interpreter() -> list[str]:
    """Return the command of this interpreter: nothing of the folder it is in, nor of its site."""
    command = [sys.executable, "-P", "-S"]
    if sys.dont_write_bytecode:
        command.append("-B")
    if sys.pycache_prefix is not None:
        command += ["-X", f"pycache_prefix={sys.pycache_prefix}"]
    return command


def _path() -> list[str]:
    """Where this process finds modules, but not the folder that it happens to be in."""
    entries = [str(Path(entry).absolute()) for entry in sys.path if entry]
    return [*entries, str(Path(__file__).parents[2])]
