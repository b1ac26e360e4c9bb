"""Reaching other processes by Unix sockets, and neighbours by theirs."""

from __future__ import annotations

from typing import Final

from .attack import Attack, attack
from .network import new_sockets

ATTACKS: Final[tuple[Attack, ...]] = (
    attack(
        32,
        "connect to an abstract Unix socket",
        """
import socket
name = "\\0" + T.abstract
def connect(kind=1):
    s = socket.socket(1, kind)
    kept.append(s)
    s.connect(name)
where = b"\\x01\\x00\\0" + T.abstract.encode()
attempt("connect", connect)
attempt("by number", lambda: raw(42, raw(41, 1, 1, 0), where, len(where)))
attempt("machine code", lambda: native(42, native(41, 1, 1, 0), where, len(where)))
a, b = socket.socketpair(1, 1)
attempt("one of a pair", lambda: a.connect(name))
attempt("datagram", lambda: socket.socket(1, 2).sendto(b"x", name))
c, d = datagram_pair()
attempt("datagram of a pair", lambda: c.sendto(b"x", name))
attempt("unspecific connect", lambda: raw(42, c.fileno(), bytes(16), 16))
attempt("pair after it", lambda: raw(42, c.fileno(), where, len(where)))
attempt("bind", lambda: socket.socket(1, 1).bind("\\0" + T.token + "-own"))
""",
    ),
    attack(
        33,
        "connect to a Unix socket of another process",
        """
import socket, array
def connect(path, kind=1):
    s = socket.socket(1, kind)
    kept.append(s)
    s.connect(path)
attempt("stream", lambda: connect(T.stream_path))
attempt("datagram", lambda: socket.socket(1, 2).sendto(b"x", T.datagram_path))
where = b"\\x01\\x00" + T.stream_path.encode() + b"\\0"
attempt("machine code", lambda: native(42, native(41, 1, 1, 0), where, len(where)))
attempt("x32", lambda: x32(42, x32(41, 1, 1, 0), where, len(where)))
c, d = datagram_pair()
attempt("datagram of a pair", lambda: c.sendto(b"x", T.datagram_path))
attempt("sendmsg of a pair", lambda: c.sendmsg([b"x"], [], 0, T.datagram_path))
there = b"\\x01\\x00" + T.datagram_path.encode() + b"\\0"
attempt("sendto by number", lambda: raw(44, c.fileno(), b"x", 1, 0, there, len(there)))
attempt("sendto in machine code", lambda: native(44, c.fileno(), b"x", 1, 0, there, len(there)))
attempt("sendto as x32", lambda: x32(44, c.fileno(), b"x", 1, 0, there, len(there)))
attempt("connect a pair", lambda: raw(42, c.fileno(), there, len(there)))
import struct
keep_alive = [ctypes.create_string_buffer(there), ctypes.create_string_buffer(b"x")]
vector = struct.pack("QQ", ctypes.addressof(keep_alive[1]), 1)
keep_alive.append(ctypes.create_string_buffer(vector))
message = struct.pack("QIIQQQQIIII", ctypes.addressof(keep_alive[0]), len(there), 0,
    ctypes.addressof(keep_alive[2]), 1, 0, 0, 0, 0, 0, 0)
attempt("sendmsg by number", lambda: raw(46, c.fileno(), message, 0))
attempt("sendmmsg by number", lambda: raw(307, c.fileno(), message, 1, 0))
attempt("link", lambda: os.symlink(T.stream_path, "link"))
attempt("through a link", lambda: connect("link"))
attempt("/proc", lambda: connect(f"/proc/{T.engine}/root{T.stream_path}"))
attempt("journal", lambda: connect("/dev/log", 2))
""",
    ),
    attack(
        34,
        "connect to a neighbour's sockets",
        """
import socket, glob
reached = []
def connect(path):
    s = socket.socket(1, 1)
    s.settimeout(2)
    s.connect(path)
    s.send(b"\\xff" + bytes(8) + b"\\x7f\\x03\\x00NULL" + bytes(48))
    reached.append(s.recv(64))
for path in T.neighbour_sockets + glob.glob("../../*/s-*") + glob.glob("../../*/*/s-*"):
    if os.path.dirname(os.path.abspath(path)) != os.path.dirname(os.getcwd()):
        attempt(path, lambda: connect(path))
print("a neighbour's greeting:", [r[:1] + r[9:12] for r in reached if r])
""",
        checks=(
            new_sockets,
            lambda o: ["reached a neighbour's socket"] * ("b'\\xff\\x7f\\x03" in o.output),
        ),
    ),
    attack(
        35,
        "speak to a neighbour as its client",
        """
import zmq
context = zmq.Context()
for path in T.neighbour_sockets:
    for kind in (zmq.DEALER, zmq.SUB):
        def speak():
            s = context.socket(kind)
            s.linger = 0
            if kind == zmq.SUB:
                s.subscribe(b"")
            s.connect("ipc://" + path)
            kept.append(s)
            if kind == zmq.DEALER:
                s.send_multipart([b"<IDS|MSG>", b"", b"{}", b"{}", b"{}", b"{}"])
        attempt(path, speak)
time.sleep(0.5)
for s in kept:
    attempt("heard", lambda: print(s.recv_multipart(zmq.NOBLOCK)))
""",
        checks=(new_sockets,),
    ),
    attack(
        143,
        "pass a descriptor out by a socket",
        """
import socket, array
c, d = datagram_pair()
rights = [(1, 1, array.array("i", [0, 1, 2]))]
attempt("datagram", lambda: c.sendmsg([b"x"], rights, 0, T.datagram_path))
attempt("abstract", lambda: c.sendmsg([b"x"], rights, 0, "\\0" + T.abstract))
s = attempt("socket", lambda: socket.socket(1, 1))
attempt("stream", lambda: (s.connect(T.stream_path), s.sendmsg([b"x"], rights)))
""",
    ),
    attack(
        144,
        "make sockets that the kernel has do something else",
        """
import socket, struct
zmqs = zmq_sockets()
for number in range(3, 256):
    try:
        if not os.readlink(f"/proc/self/fd/{number}").startswith("socket"):
            continue
    except OSError:
        pass
    def turn(number=number):
        s = socket.socket(fileno=os.dup(number))
        for where in (T.stream_path, "\\0" + T.abstract, T.datagram_path, ("127.0.0.1", T.tcp)):
            attempt(f"{number} connect", lambda: s.connect(where))
            attempt(f"{number} send", lambda: s.sendto(b"x", where))
        s.detach()
    attempt(f"{number}", turn)
""",
        real=(),
        why="the sockets that a kernel has are bound or connected, or of no use for this",
        contained=("none", "partial", "nofs", "full", "full+ns"),
    ),
)
