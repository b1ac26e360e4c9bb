"""The engine's side of warm processes: starting them, asking them for kernels, ending them.

A warm process is shared by all that ask for the same settings in this process, whatever event loop
they run on, and ends with the last of them (`hold_warm`, `Warm.release`). Where it dies early, the
next kernel's start makes another. Linux only.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, Any, Final

from jupyterlab_tir.serving.log import read_tail

from . import pidfd
from .box import WORK_FOLDER
from .environment import clean_environment
from .errors import KernelStartError
from .folders import PrivateFolder, remove_abandoned
from .forked_process import ForkedProcess
from .inside.messages import (
    FORK,
    LARGEST_PACKET_BYTES,
    Failed,
    KernelRequest,
    WarmReady,
    WarmSettings,
    WarmStart,
    decode_answer,
    encode,
)
from .spawner import spawn
from .waiting import readable

READY_TIMEOUT_S: Final = 60.0
_END_S: Final = 2.0


class _WarmProcess:
    """One process, from its start to its end."""

    def __init__(self, settings: WarmSettings, folder: Path) -> None:
        self._answer: WarmReady | None = None
        self.gone = False
        self._log = folder / "warm.log"
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control = ours
        start = WarmStart(settings=settings, folder=str(folder), engine_pid=os.getpid())
        try:
            ours.setblocking(False)
            with theirs, self._log.open("wb") as log:
                ours.send(encode(start))
                self._popen = spawn(lambda: _popen(theirs.fileno(), settings, log))
        except OSError:
            ours.close()
            raise

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def alive(self) -> bool:
        return not self.gone and self._popen.poll() is None

    async def ready(self) -> WarmReady:
        if self._answer is not None:
            return self._answer
        try:
            async with asyncio.timeout(READY_TIMEOUT_S):
                await readable(self._control.fileno())
        except TimeoutError:
            self._popen.kill()
            raise KernelStartError(
                "The process that loads the libraries for child kernels was not ready after "
                f"{READY_TIMEOUT_S:g} s: look at what --preload names, or free the machine."
            ) from None
        # Others may wait as well, each on a loop of its own: look, do not take.
        try:
            packet = self._control.recv(LARGEST_PACKET_BYTES, socket.MSG_PEEK)
        except OSError:  # it ended before it had read what to do
            packet = b""
        answer = decode_answer(packet) if packet else Failed(self._last_words())
        if isinstance(answer, Failed):
            raise KernelStartError(
                f"The process that loads the libraries for child kernels ended ({answer.words}); "
                "check that this environment's numpy, scipy, sympy and networkx can be imported."
            )
        self._answer = answer
        return answer

    def fork(self, request: KernelRequest) -> ForkedProcess:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            try:
                ours.send(encode(request))
                socket.send_fds(self._control, [FORK], [theirs.fileno()])
            except OSError:
                ours.close()
                raise
        ours.setblocking(False)
        return ForkedProcess(ours)

    def _last_words(self) -> str:
        lines = read_tail(self._log)
        return lines[-1][:500] if lines else "no reason"

    async def close(self) -> None:
        """End it and reap it; its kernels die with it."""
        self.hang_up()
        try:
            async with asyncio.timeout(_END_S):
                await self._gone()
        except TimeoutError:
            self._popen.kill()
            await self._gone()

    async def _gone(self) -> None:
        if self._popen.poll() is None:
            descriptor = pidfd.open_process(self._popen.pid)
            try:
                await readable(descriptor)
            finally:
                os.close(descriptor)
        self._popen.wait()

    def hang_up(self) -> None:
        """Have it end, even where a forked copy of the engine holds the connection as well."""
        if self._control.fileno() >= 0:
            with contextlib.suppress(OSError):
                self._control.shutdown(socket.SHUT_RDWR)
            self._control.close()

    def let_go(self) -> None:
        """In a forked copy of the engine: drop what is the original's, and leave it running."""
        self._control.close()


class Warm:
    """A warm process that can be asked for kernels, and made anew where it dies.

    Attributes
    ----------
    folder
        Holds the kernels' folders. Mode 0700.
    """

    def __init__(self, settings: WarmSettings) -> None:
        self.settings = settings
        self.holders = 0
        self._private = PrivateFolder()
        self.folder = self._private.path
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._process: _WarmProcess | None = None
        self._dead: list[_WarmProcess] = []

    @property
    def pid(self) -> int | None:
        """The process that lives now, if one does."""
        process = self._process
        return process.pid if process is not None and process.alive else None

    def begin(self) -> None:
        """Start the process now, if none lives; `ready` waits for it.

        Raises
        ------
        KernelStartError
            Where no process can be started.
        """
        self._living()

    async def ready(self) -> WarmReady:
        """Wait until kernels can be forked.

        Raises
        ------
        KernelStartError
            Where the process cannot be started, ends, or takes longer than a minute.
        """
        return await self._living().ready()

    async def start(self, connection: dict[str, Any], folder: Path) -> ForkedProcess:
        """Start a kernel and wait until it serves; where the process dies meanwhile, try another.

        Parameters
        ----------
        connection
            Content of the connection file that the kernel would read.
        folder
            One that `new_folder` has made.

        Raises
        ------
        KernelStartError
            Where there is no process to fork from, or the kernel ends before it serves.
        """
        request = KernelRequest(connection=connection, folder=str(folder))
        for last in (False, False, True):
            process = self._living()
            await process.ready()
            try:
                forked = process.fork(request)
            except OSError as error:
                process.gone = process.gone or isinstance(error, BrokenPipeError)
                if process.gone and not last:
                    continue
                raise KernelStartError(
                    f"A child kernel could not be started ({error.strerror}); free open files or "
                    "memory, or start fewer at once."
                ) from None
            try:
                async with asyncio.timeout(READY_TIMEOUT_S):
                    await forked.started()
                return forked
            except BaseException as error:
                process.gone = process.gone or forked.lost
                # Whoever waits may be cancelled again; nothing of the kernel may be left.
                await asyncio.shield(asyncio.create_task(forked.end()))
                if isinstance(error, KernelStartError) and forked.lost and not last:
                    continue
                if isinstance(error, TimeoutError):
                    raise KernelStartError(
                        f"A child kernel was not ready after {READY_TIMEOUT_S:g} s; the machine "
                        "may be overloaded: start fewer at once."
                    ) from None
                raise
        raise AssertionError  # the last turn returns or raises

    def new_folder(self) -> Path:
        """Make a folder for one kernel, with the folder that it works in."""
        folder = self.folder / str(next(self._numbers))
        folder.mkdir(mode=0o700)
        (folder / WORK_FOLDER).mkdir(mode=0o700)
        return folder

    def _living(self) -> _WarmProcess:
        with self._lock:
            if self._process is None or not self._process.alive:
                if self._process is not None:
                    self._process.hang_up()
                    self._dead.append(self._process)
                try:
                    self._process = _WarmProcess(self.settings, self.folder)
                except OSError as error:
                    self._process = None
                    raise KernelStartError(
                        f"No process for child kernels could be started ({error}); free memory "
                        "or open files."
                    ) from None
            return self._process

    async def release(self) -> None:
        """Give up one hold; the last one ends the process and removes the folder."""
        with _lock:
            self.holders -= 1
            if self.holders > 0:
                return
            if _warm.get(self.settings) is self:
                del _warm[self.settings]
        # Whoever waits may be cancelled; the clean-up may not.
        await asyncio.shield(asyncio.create_task(self._end()))

    async def _end(self) -> None:
        processes = [process for process in (*self._dead, self._process) if process is not None]
        self._process = None
        try:
            await asyncio.gather(*(process.close() for process in processes))
        finally:
            await self._private.remove()

    def forget(self) -> None:
        """In a forked copy of the engine: let go of what is the original's."""
        for process in (*self._dead, self._process):
            if process is not None:
                process.let_go()


_lock = threading.Lock()
_warm: dict[WarmSettings, Warm] = {}


async def hold_warm(settings: WarmSettings) -> Warm:
    """Return the warm process for `settings`, to be given back with `Warm.release`.

    It is not started yet, unless another holds it already.

    Raises
    ------
    UsageError
        Where no private folder can be made.
    """
    if settings not in _warm:
        await remove_abandoned()
    with _lock:
        if settings not in _warm:
            _warm[settings] = Warm(settings)
        warm = _warm[settings]
        warm.holders += 1
        return warm


def _forget_after_fork() -> None:
    """A forked copy of the engine must neither use nor keep alive what the original started."""
    global _lock  # noqa: PLW0603 - another thread may have held it at the fork
    _lock = threading.Lock()
    for warm in _warm.values():
        warm.forget()
    _warm.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)


def _popen(control: int, settings: WarmSettings, log: IO[bytes]) -> subprocess.Popen[bytes]:
    environment = clean_environment(os.environ) | {
        "PYTHONHASHSEED": str(settings.hash_seed),
        # Nowhere: what looks for files of the user shall find none.
        "HOME": "/nonexistent",
        "IPYTHONDIR": "/nonexistent",
    }
    return subprocess.Popen(  # noqa: S603 - our own module
        [sys.executable, "-P", "-m", f"{__package__}.inside.server", str(control)],
        pass_fds=[control],
        env=environment,
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        start_new_session=True,
    )
