"""Bringing the engine down, or to a standstill, by what is sent on the connections to it.

Every flood is bounded, so that one that is not stopped proves it and takes little.
"""

from __future__ import annotations

import asyncio
import time
from typing import Final

from .attack import Attack
from .outcome import Outcome
from .protocol import client

_WATCHED_S: Final = 3.0
_BUSY_SHARE: Final = 0.25
# With no cell under way, nothing is to be kept: one message of each connection, and some more.
_LITTLE_BYTES: Final = 100 * 1024**2

# The sockets that the engine is connected to, below ZeroMQ: what goes there, no library checks.
_CONNECTIONS: Final = """
import socket, threading
def connections():
    found = []
    for number in range(3, 256):
        try:
            connection = socket.socket(fileno=os.dup(number))
        except OSError:
            continue
        try:
            connection.getpeername()
            if connection.getsockname():
                found.append(number)
        except OSError:
            pass
        finally:
            connection.close()
    return found
def write_all(number, data):
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(number, view):]
        except BlockingIOError:
            time.sleep(0.001)
def later(call, *arguments):
    def run():
        time.sleep(0.3)
        attempt("later", lambda: call(*arguments))
    threading.Thread(target=run, daemon=True).start()
numbers = connections()
print(len(numbers), "connections")
"""

_PUBLISHER: Final = """
import threading, zmq
publisher = next(s for s in zmq_sockets() if s.get(zmq.TYPE) == zmq.XPUB)
"""


def _found_connections(outcome: Outcome) -> list[str]:
    """The attack means something only where it found what it is aimed at."""
    return ["found no connection to attack"] * outcome.results[0].stdout.startswith("0 connections")


async def _rests(_outcome: Outcome) -> list[str]:
    """With no cell under way, the engine has nothing to do, whatever its kernel sends."""
    begun = time.process_time()
    await asyncio.sleep(_WATCHED_S)
    share = (time.process_time() - begun) / _WATCHED_S
    return [f"keeps the engine busy ({share:.0%} of a processor)"] * (share > _BUSY_SHARE)


def _heavy(kind: str, piece: bytes) -> str:
    """Return a cell that sends a dozen messages, each of which takes long to decode."""
    return f"""
F = Forger()
import zmq
publisher = next(s for s in zmq_sockets() if s.get(zmq.TYPE) == zmq.XPUB)
publisher.set(zmq.SNDHWM, 0)
piece = {piece!r}
body = b'{{"a": [' + piece * ((4 * 1024 * 1024 - 2000) // len(piece)) + b"{kind}]}}"
parts = [json.dumps({{**F.header, "msg_type": "stream", "msg_id": "x"}}).encode(),
         json.dumps(F.parent).encode(), b"{{}}", body]
frames = [b"f", b"<IDS|MSG>", F.sign(parts), *parts]
for _ in range(12):
    for frame in frames[:-1]:
        publisher.send(frame, zmq.SNDMORE)
    publisher.send(frames[-1], copy=False)
time.sleep(1)
"""


ATTACKS: Final[tuple[Attack, ...]] = (
    client(
        270,
        "frames written below ZeroMQ, then a connection that is shut",
        _CONNECTIONS
        + """
def go(number):
    write_all(number, b"\\0\\1x" * 80 + b"\\4\\7\\4PING\\0\\0" + b"\\0\\1x" * 20)
    libc.shutdown(number, 2)
for number in numbers:
    later(go, number)
""",
        "time.sleep(0.5)\n1 + 1",
        timeout_s=3,
        checks=(_found_connections,),
    ),
    client(
        271,
        "a message without an end",
        _PUBLISHER
        + """
frame = zmq.Frame(b"x" * (4 * 1024 * 1024 - 10), copy=False)
def go():
    for _ in range(120):
        publisher.send(frame, zmq.SNDMORE, copy=False)
threading.Thread(target=go, daemon=True).start()
time.sleep(2)
""",
        "1 + 1",
        timeout_s=5,
        afterwards=_rests,
    ),
    client(
        272,
        "a message without an end, written below ZeroMQ",
        _CONNECTIONS
        + """
frame = b"\\3" + (65536).to_bytes(8, "big") + bytes(65536)
def go(number):
    for _ in range((400 << 20) // len(frame)):
        write_all(number, frame)
for number in numbers:
    later(go, number)
time.sleep(2)
""",
        "1 + 1",
        timeout_s=5,
        checks=(_found_connections,),
        afterwards=_rests,
    ),
    client(273, "a dozen messages of a million lists", _heavy("1", b"[],"), timeout_s=5),
    client(274, "a dozen messages of a million objects", _heavy("1", b"{},"), timeout_s=5),
    client(
        275, "a dozen messages that are no JSON at their end", _heavy("NaN", b"[],"), timeout_s=5
    ),
    client(
        276,
        "messages with no cell under way",
        _PUBLISHER
        + """
block = b"x" * (4 * 1024 * 1024 - 10)
def go():
    time.sleep(0.3)
    for _ in range(200):
        publisher.send(block, copy=False)
threading.Thread(target=go, daemon=True).start()
""",
        timeout_s=5,
        engine_growth_bytes=_LITTLE_BYTES,
        afterwards=_rests,
    ),
    client(
        277,
        "messages below ZeroMQ with no cell under way",
        _CONNECTIONS
        + """
frame = b"\\2" + (4 << 20).to_bytes(8, "big") + bytes(4 << 20)
def go(number):
    for _ in range(100):
        write_all(number, frame)
for number in numbers:
    later(go, number)
""",
        timeout_s=5,
        engine_growth_bytes=_LITTLE_BYTES,
        checks=(_found_connections,),
        afterwards=_rests,
    ),
    client(
        278,
        "commands of ZeroMQ without an end",
        _CONNECTIONS
        + """
commands = b"\\4\\6\\5ERROX" * 8000
def go(number):
    while True:
        write_all(number, commands)
for number in numbers:
    later(go, number)
""",
        "1 + 1",
        timeout_s=5,
        checks=(_found_connections,),
        afterwards=_rests,
    ),
)
