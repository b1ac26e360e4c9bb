"""The client of ZeroMQ's protocol: right towards libzmq, unbreakable by anybody else."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import socket
from typing import TYPE_CHECKING

import pytest
import zmq
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyterlab_tir.sandbox.waiting import readable
from jupyterlab_tir.sandbox.zmtp import LARGEST_MESSAGE_BYTES, MOST_FRAMES, Channel

if TYPE_CHECKING:
    from pathlib import Path

GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x01" + b"NULL".ljust(20, b"\0") + bytes(32)
READY = b"\x04\x1c\x05READY\x0bSocket-Type\x00\x00\x00\x06ROUTER"


async def take(channel: Channel, seconds: float = 20.0) -> list[bytes] | None:
    """Wait for the next message; None once the channel is broken."""
    async with asyncio.timeout(seconds):
        while True:
            frames = channel.take()
            if frames is not None or channel.broken:
                return frames
            await readable(channel.descriptor)


async def drain(channel: Channel) -> None:
    while channel.has_outgoing:
        await asyncio.sleep(0.005)
        channel.flush()


@pytest.mark.parametrize("transport", ["ipc", "tcp"])
async def test_messages_of_any_size_pass_to_and_from_libzmq(tmp_path: Path, transport: str) -> None:
    context = zmq.Context()
    router, publisher = context.socket(zmq.ROUTER), context.socket(zmq.XPUB)
    if transport == "ipc":
        ip, ports = str(tmp_path / "s"), (1, 2)
        for port, bound in zip(ports, (router, publisher), strict=True):
            bound.bind(f"ipc://{ip}-{port}")
    else:
        ip = "127.0.0.1"
        ports = tuple(bound.bind_to_random_port("tcp://127.0.0.1") for bound in (router, publisher))
    shell, iopub = Channel("DEALER"), Channel("SUB")
    await shell.open(transport, ip, ports[0])
    await iopub.open(transport, ip, ports[1])
    for size in (0, 1, 255, 256, 70_000, 1_000_000):
        sent = [b"a", b"x" * size, b""]
        shell.send(sent)
        await drain(shell)
        identity, *received = router.recv_multipart()
        assert received == sent
        router.send_multipart([identity, *sent])
        assert await take(shell) == sent
    assert publisher.recv() == b"\x01"  # the subscription
    publisher.send_multipart([b"topic", b"published"])
    assert await take(iopub) == [b"topic", b"published"]
    shell.close()
    iopub.close()
    context.destroy(linger=0)


_numbers = itertools.count()


async def _peer(folder: Path, said: bytes) -> tuple[Channel, asyncio.Task[None]]:
    """Return a channel to a peer that shakes hands, says something and hangs up."""
    loop = asyncio.get_running_loop()
    path = folder / f"s-{next(_numbers)}"
    channel = Channel("DEALER")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        listener.setblocking(False)
        ip, _, port = str(path).rpartition("-")
        opening = asyncio.create_task(channel.open("ipc", ip, int(port)))
        connection, _ = await loop.sock_accept(listener)

    async def speak() -> None:
        with connection, contextlib.suppress(ConnectionError):
            await loop.sock_sendall(connection, GREETING + READY)
            await opening
            # What is unread when it hangs up would take what it said along.
            await loop.sock_recv(connection, 4096)
            await loop.sock_sendall(connection, said)

    speaking = asyncio.create_task(speak())
    await opening
    return channel, speaking


def frame(body: bytes, flags: int = 0) -> bytes:
    if len(body) < 256:
        return bytes([flags, len(body)]) + body
    return bytes([flags | 2]) + len(body).to_bytes(8, "big") + body


@pytest.mark.parametrize(
    ("said", "broken"),
    [
        (b"", "closed"),
        (b"\x00", "closed"),
        (b"\x00\x05abc", "closed"),
        (frame(b"\x04PING\x00\x00", 4), "malformed"),
        (frame(b"x", 8), "malformed"),
        (b"\xff" * 64, "malformed"),
        (b"\x02" + b"\xff" * 8, "too large"),
        (b"\x02" + (LARGEST_MESSAGE_BYTES + 1).to_bytes(8, "big"), "too large"),
        (frame(b"", 1) * (MOST_FRAMES + 1), "too large"),
        (frame(b"x" * 1_000_000, 1) * 5, "too large"),
    ],
)
async def test_what_no_kernel_says_breaks_the_channel_and_nothing_else(
    tmp_path: Path, said: bytes, broken: str
) -> None:
    channel, speaking = await _peer(tmp_path, frame(b"first") + said)
    assert await take(channel) == [b"first"]
    assert await take(channel) is None
    assert channel.broken == broken
    assert channel.take() is None
    channel.send([b"into the void"])
    channel.close()
    await speaking


@settings(max_examples=60, deadline=None)
@given(
    said=st.lists(
        st.binary(max_size=40)
        | st.builds(frame, st.binary(max_size=300), st.sampled_from([0, 1, 2, 3, 4, 255])),
        max_size=20,
    )
)
def test_any_bytes_are_survived(
    tmp_path_factory: pytest.TempPathFactory, said: list[bytes]
) -> None:
    async def run() -> None:
        channel, speaking = await _peer(tmp_path_factory.mktemp("z"), b"".join(said))
        while await take(channel) is not None:
            pass
        assert channel.broken
        channel.close()
        await speaking

    asyncio.run(run())


@pytest.mark.parametrize(
    "greeting",
    [b"", b"HTTP/1.1 200 OK" + bytes(60), GREETING.replace(b"NULL", b"CURV") + READY, GREETING],
)
async def test_peer_that_does_not_shake_hands_is_an_error(tmp_path: Path, greeting: bytes) -> None:
    loop = asyncio.get_running_loop()
    channel = Channel("SUB")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s-1"))
        listener.listen()
        listener.setblocking(False)
        opening = asyncio.create_task(channel.open("ipc", str(tmp_path / "s"), 1))
        connection, _ = await loop.sock_accept(listener)
        with connection:
            await loop.sock_sendall(connection, greeting)
            await loop.sock_recv(connection, 4096)
    with pytest.raises(OSError, match=r"closed|no ZeroMQ|[Cc]onnection|[Pp]ipe"):
        await opening
    channel.close()


async def test_nothing_is_read_that_nobody_asked_for(tmp_path: Path) -> None:
    ours, theirs = socket.socketpair()
    channel = Channel("DEALER")
    channel._socket = ours
    ours.setblocking(False)
    theirs.setblocking(False)
    flood = frame(b"x" * 60_000)
    with contextlib.suppress(BlockingIOError):
        while True:
            theirs.send(flood)
    await asyncio.sleep(0.05)
    assert len(channel._incoming) == 0
    assert channel.take() == [b"x" * 60_000]
    channel.close()
    theirs.close()
    assert tmp_path
