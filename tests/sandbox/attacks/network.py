"""Reaching anybody by a socket."""

from __future__ import annotations

from typing import Final

from .attack import Attack, Check, attack
from .outcome import Outcome


def new_sockets(outcome: Outcome) -> list[str]:
    """Sockets that the kernel's process holds and did not hold before."""
    made = sum(link.startswith("socket:") for link in outcome.new_descriptors)
    return [f"opened {made} sockets"] * bool(made)


def new_anonymous(*kinds: str) -> Check:
    """Return a check for descriptors of these kinds that were not there before."""

    def look(outcome: Outcome) -> list[str]:
        return sorted(
            {f"opened {k}" for link in outcome.new_descriptors for k in kinds if k in link}
        )

    return look


_ADDRESS: Final = """
import socket, struct
def address(port, ip="127.0.0.1"):
    return struct.pack("=H", 2) + struct.pack("!H", port) + socket.inet_aton(ip) + bytes(8)
def address6(port, ip="::1"):
    return (struct.pack("=H", 10) + struct.pack("!H", port) + bytes(4)
            + socket.inet_pton(10, ip) + bytes(4))
def connect(port, family=2, kind=1, protocol=0, call=raw, where=None):
    descriptor = call(41, family, kind, protocol)
    kept.append(descriptor)
    where = where or address(port)
    return call(42, descriptor, where, len(where))
"""

ATTACKS: Final[tuple[Attack, ...]] = (
    attack(
        24,
        "connect by TCP",
        """
import socket, urllib.request, http.client, asyncio
def connect():
    kept.append(socket.create_connection(("127.0.0.1", T.tcp), 2))
attempt("create_connection", connect)
attempt("localhost", lambda: kept.append(socket.create_connection(("localhost", T.tcp), 2)))
attempt("other", lambda: kept.append(socket.create_connection(("127.0.0.2", T.tcp), 2)))
attempt("any", lambda: kept.append(socket.create_connection(("0.0.0.0", T.tcp), 2)))
attempt("http", lambda: http.client.HTTPConnection(
    "127.0.0.1", T.tcp, timeout=1).request("GET", "/"))
attempt("urlopen", lambda: urllib.request.urlopen(f"http://127.0.0.1:{T.tcp}", timeout=1))
def ex():
    s = socket.socket()
    s.setblocking(False)
    s.connect_ex(("127.0.0.1", T.tcp))
    kept.append(s)
attempt("connect_ex", ex)
import zmq
def by_zmq():
    s = zmq.Context.instance().socket(zmq.DEALER)
    s.linger = 0
    s.connect(f"tcp://127.0.0.1:{T.tcp}")
    s.send(b"x")
    kept.append(s)
    time.sleep(0.2)
attempt("zmq", by_zmq)
""",
        checks=(new_sockets,),
    ),
    attack(
        140,
        "connect from the kernel's own context of sockets",
        """
import zmq.backend
sockets = zmq_sockets()
for s in sockets:
    attempt(f"{s}", lambda: s.connect(f"tcp://127.0.0.1:{T.tcp}"))
    attempt(f"{s}", lambda: s.connect("ipc://" + T.stream_path))
contexts = [c for c in reachable() if isinstance(c, zmq.backend.Context)]
print(len(sockets), len(contexts))
s = zmq.backend.Socket(contexts[0], zmq.PAIR)
kept.append(s)
attempt("tcp", lambda: s.connect(f"tcp://127.0.0.1:{T.tcp}"))
attempt("bind", lambda: s.bind("tcp://127.0.0.1:*"))
attempt("ipc", lambda: s.connect("ipc://" + T.stream_path))
for path in T.neighbour_sockets:
    attempt("neighbour", lambda: s.connect("ipc://" + path))
time.sleep(0.3)
""",
        checks=(new_sockets,),
    ),
    attack(
        25,
        "connect by TCP with system calls",
        _ADDRESS
        + """
attempt("number", lambda: connect(T.tcp))
attempt("machine code", lambda: connect(T.tcp, call=native))
attempt("x32", lambda: connect(T.tcp, call=x32))
attempt("wide", lambda: connect(T.tcp, family=2 | 1 << 32, call=native))
def fast():
    s = raw(41, 2, 1, 0)
    return raw(44, s, b"x", 1, 0x20000000, address(T.tcp), 16)  # MSG_FASTOPEN
attempt("fast open", fast)
""",
        checks=(new_sockets,),
    ),
    attack(
        141,
        "connect by 32-bit system calls",
        _ADDRESS
        + """
def call(number, *words):
    packed = b"".join((w & 0xffffffff).to_bytes(4, "little") for w in words)
    return int80(102, number, low_memory(packed))
s = attempt("socket", lambda: int80(359, 2, 1, 0))
if s is None:
    s = attempt("socketcall", lambda: call(1, 2, 1, 0))
attempt("connect", lambda: call(3, s, low_memory(address(T.tcp)), 16))
attempt("connect", lambda: int80(362, s, low_memory(address(T.tcp)), 16))
""",
        checks=(new_sockets,),
    ),
    attack(
        26,
        "connect by IPv6 and mapped addresses",
        _ADDRESS
        + """
attempt("mapped", lambda: connect(0, 10, where=address6(T.tcp, "::ffff:127.0.0.1")))
attempt("v6", lambda: connect(0, 10, where=address6(T.tcp6 or T.tcp)))
attempt("python", lambda: socket.create_connection(("::1", T.tcp6 or T.tcp), 2))
attempt("machine code", lambda: connect(
    0, 10, where=address6(T.tcp, "::ffff:127.0.0.1"), call=native))
""",
        checks=(new_sockets,),
    ),
    attack(
        27,
        "connect by MPTCP, SCTP, SMC and the like",
        _ADDRESS
        + """
for family, kind, protocol in ((2, 1, 262), (10, 1, 262), (2, 1, 132), (2, 5, 132), (43, 1, 0),
                               (43, 1, 1), (2, 6, 33), (30, 1, 0), (21, 5, 0),
                               (2, 1 | 0x80000, 262)):
    attempt(f"{family} {kind} {protocol}", lambda: connect(T.tcp, family, kind, protocol))
    attempt("machine code", lambda: connect(T.tcp, family, kind, protocol, native))
""",
        checks=(new_sockets,),
    ),
    attack(
        28,
        "send by UDP",
        _ADDRESS
        + """
def send(call, kind=2, protocol=0):
    s = call(41, 2, kind, protocol)
    kept.append(s)
    question = (b"\\x12\\x34\\x01\\x00\\x00\\x01" + bytes(6)
        + b"\\x03abc\\x00\\x00\\x01\\x00\\x01")  # of a name server
    return call(44, s, question, 21, 0, address(T.udp), 16)
def connected():
    s = socket.socket(2, 2)
    s.connect(("127.0.0.1", T.udp))
    s.send(b"x")
attempt("sendto", lambda: send(raw))
attempt("machine code", lambda: send(native))
attempt("connected", connected)
attempt("sendmsg", lambda: socket.socket(2, 2).sendmsg([b"x"], [], 0, ("127.0.0.1", T.udp)))
attempt("UDP-Lite", lambda: send(raw, 2, 136))
attempt("IPv6", lambda: socket.socket(10, 2).sendto(b"x", ("::ffff:127.0.0.1", T.udp)))
attempt("raw", lambda: socket.socket(2, 3, 17).sendto(b"x", ("127.0.0.1", T.udp)))
attempt("ping", lambda: socket.socket(2, 2, 1))
""",
        checks=(new_sockets,),
    ),
    attack(
        29,
        "listen by TCP",
        """
import socket
def listen(family, where, kind=1, protocol=0):
    s = socket.socket(family, kind, protocol)
    kept.append(s)
    s.bind(where)
    s.listen()
def implicit():
    s = socket.socket()
    kept.append(s)
    s.listen()  # binds a port by itself
attempt("bind", lambda: listen(2, ("127.0.0.1", 0)))
attempt("v6", lambda: listen(10, ("::1", 0)))
attempt("MPTCP", lambda: listen(2, ("127.0.0.1", 0), 1, 262))
attempt("without bind", implicit)
attempt("zmq", lambda: kept.append(__import__("zmq").Context().socket(1).bind("tcp://127.0.0.1:*")))
""",
        checks=(new_sockets,),
    ),
    attack(
        30,
        "open netlink, packet, crypto, vsock and raw sockets",
        """
for family in range(1, 46):
    for kind in (1, 2, 3, 5):
        for call in (raw, native):
            attempt(f"{family} {kind}", lambda: kept.append(call(41, family, kind, 0)))
attempt("packet", lambda: kept.append(raw(41, 17, 3, 0x300)))
attempt("raw", lambda: kept.append(raw(41, 2, 3, 1)))
attempt("generic netlink", lambda: kept.append(raw(41, 16, 3, 16)))
""",
        checks=(new_sockets,),
    ),
    attack(
        142,
        "make pairs of sockets that are not Unix sockets",
        """
for family in range(2, 46):
    for kind in (1, 2, 3, 5):
        pair = ctypes.create_string_buffer(8)
        attempt(f"{family} {kind}", lambda: raw(53, family, kind, 0, pair))
        attempt(f"{family} {kind}", lambda: native(
            53, family | 1 << 32, kind, 0, ctypes.addressof(pair)))
""",
        checks=(new_sockets,),
        real=(),
        why="no family of this machine but Unix makes pairs",
    ),
    attack(
        31,
        "io_uring",
        """
def ring(call):
    descriptor = call(425, 4, ctypes.addressof(parameters))
    kept.append(descriptor)
    return descriptor
parameters = ctypes.create_string_buffer(120)
attempt("setup", lambda: ring(raw))
attempt("machine code", lambda: ring(native))
attempt("x32", lambda: ring(x32))
attempt("enter", lambda: raw(426, 0, 1, 0, 0, None, 0))
attempt("register", lambda: raw(427, -1, 20, None, 0))
""",
        checks=(new_anonymous("io_uring"),),
        real=("root",),
        why="the limit on locked memory keeps a user from it",
    ),
)
