"""The parts of a kernel that need no kernel: messages as frames, and streams."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import threading
from typing import TYPE_CHECKING, Any

import pytest
import zmq
from hypothesis import given, settings
from hypothesis import strategies as st
from jupyter_client.session import Session
from zmq.backend import Context, Socket

from jupyterlab_tir.sandbox.inside.channels import Requests, sender
from jupyterlab_tir.sandbox.inside.interrupts import Interrupts
from jupyterlab_tir.sandbox.inside.publisher import Publisher
from jupyterlab_tir.sandbox.inside.streams import CellStream
from jupyterlab_tir.sandbox.inside.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY = b"a key"
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(content=st.dictionaries(st.text(), json_values, max_size=4))
def test_packed_messages_are_what_jupyter_client_reads(content: dict[str, Any]) -> None:
    frames = Wire(KEY).pack("any_kind", content, parent=b'{"msg_id": "7"}', to=[b"topic"])
    session = Session(key=KEY)
    identities, parts = session.feed_identities(frames)
    message = session.deserialize(parts)
    assert identities == [b"topic"]
    assert message["msg_type"] == "any_kind"
    assert message["content"] == content
    assert message["parent_header"] == {"msg_id": "7"}
    assert message["metadata"] == {}


def test_half_a_surrogate_pair_survives_packing() -> None:
    frames = Wire(KEY).pack("any", {"text": "\ud800"})
    assert json.loads(frames[-1]) == {"text": "\ud800"}


@contextlib.contextmanager
def joined() -> Iterator[tuple[Socket, Socket]]:
    """Two sockets; what is sent into the second arrives at the first, however much it is."""
    context = Context()
    near, far = Socket(context, zmq.DEALER), Socket(context, zmq.DEALER)
    try:
        for socket in (near, far):
            socket.set(zmq.LINGER, 0)
            socket.set(zmq.SNDHWM, 0)
            socket.set(zmq.RCVHWM, 0)
        near.bind("inproc://joined")
        far.connect("inproc://joined")
        yield near, far
    finally:
        near.close()
        far.close()
        context.term()


@pytest.fixture
def ends() -> Iterator[tuple[Socket, Socket]]:
    with joined() as both:
        yield both


def test_requests_are_those_that_are_signed_and_new(ends: tuple[Socket, Socket]) -> None:
    near, far = ends
    session = Session(key=KEY)
    good = session.serialize(session.msg("execute_request", {"code": "1"}))
    for frames in (good, good, Session(key=b"another").serialize(session.msg("other")), good[:3]):
        sender(far)(frames)
    sender(far)(session.serialize(session.msg("last_request")))
    received = Requests(Wire(KEY), near).receive()
    assert [request.kind for request in received] == ["execute_request", "last_request"]
    assert received[0].content == {"code": "1"}
    assert received[0].header == good[2]


@settings(max_examples=50)
@given(frames=st.lists(st.binary(max_size=20) | st.just(b"<IDS|MSG>"), min_size=1, max_size=8))
def test_any_frames_are_a_request_or_nothing(frames: list[bytes]) -> None:
    with joined() as (near, far):
        sender(far)(frames)
        assert Requests(Wire(KEY), near).receive() == []


class Rang(Exception):  # noqa: N818 - it is no error
    pass


class Interrupted:
    """A socket that sends; at some frames a signal handler raises right after that."""

    def __init__(self, at: set[int]) -> None:
        self.at = at
        self.sent: list[tuple[bytes, int]] = []

    def send(self, frame: bytes, flags: int) -> None:
        self.sent.append((frame, flags))
        if len(self.sent) in self.at:
            raise Rang


@given(at=st.sets(st.integers(1, 4)))
def test_signal_handlers_that_raise_tear_no_message_apart(at: set[int]) -> None:
    socket = Interrupted(at)
    with pytest.raises(Rang) if at else contextlib.nullcontext():
        sender(socket)([b"1", b"2", b"3", b"4"])  # type: ignore[arg-type]
    more = int(zmq.SNDMORE)
    assert socket.sent == [(b"1", more), (b"2", more), (b"3", more), (b"4", 0)]


class Heard:
    """A publisher whose messages are kept."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.wakeup = signal.set_wakeup_fd(-1)
        self.handler = signal.getsignal(signal.SIGINT)
        self.interrupts = Interrupts(self.loop)
        self.frames: list[list[bytes]] = []
        self.publisher = Publisher(Wire(KEY), self.frames.append, self.interrupts)

    @property
    def texts(self) -> list[str]:
        return [json.loads(frames[-1])["text"] for frames in self.frames]

    def close(self) -> None:
        self.interrupts.close()
        self.loop.close()
        signal.signal(signal.SIGINT, self.handler)
        signal.set_wakeup_fd(self.wakeup)


@pytest.fixture
def heard() -> Iterator[Heard]:
    made = Heard()
    yield made
    made.close()


def test_stream_sends_head_and_tail_and_counts_the_rest(heard: Heard) -> None:
    stream = CellStream("stdout", 1, heard.publisher, keep_chars=10)
    stream.write("0123456")
    stream.write("789abcdefghijklmnopqrstuvwxyz")
    assert stream.end_cell() == 16
    assert "".join(heard.texts) == "0123456789qrstuvwxyz"
    stream.write("next")
    assert stream.end_cell() == 0
    assert heard.texts[-1] == "next"


@given(pieces=st.lists(st.text(max_size=30), max_size=20), keep=st.integers(1, 50))
def test_stream_loses_nothing_but_the_middle(pieces: list[str], keep: int) -> None:
    heard = Heard()
    try:
        stream = CellStream("stdout", 1, heard.publisher, keep_chars=keep)
        for piece in pieces:
            stream.write(piece)
        cut = stream.end_cell()
    finally:
        heard.close()
    whole = "".join(pieces)
    expected = whole if len(whole) <= 2 * keep else whole[:keep] + whole[-keep:]
    assert "".join(heard.texts) == expected
    assert cut == max(len(whole) - 2 * keep, 0)


def test_stream_stops_sending_at_each_of_thousands_of_flushes(heard: Heard) -> None:
    stream = CellStream("stdout", 1, heard.publisher, keep_chars=10_000)
    for _ in range(3_000):
        stream.write("x")
        stream.flush()
    stream.end_cell()
    assert 200 <= len(heard.texts) < 400
    assert "".join(heard.texts) == "x" * 3_000


def test_stream_takes_text_only_and_whatever_text(heard: Heard) -> None:
    class Odd(str):
        __slots__ = ()

        def __getitem__(self, _: object) -> str:  # type: ignore[override]
            raise AssertionError

    stream = CellStream("stdout", 1, heard.publisher, keep_chars=100)
    with pytest.raises(TypeError, match="must be str, not bytes"):
        stream.write(b"x")  # type: ignore[arg-type]
    assert stream.write(Odd("odd")) == 3
    assert stream.write("half \ud800") == 6
    stream.end_cell()
    assert "".join(heard.texts) == "oddhalf \\ud800"


def test_threads_may_write_at_once(heard: Heard) -> None:
    stream = CellStream("stdout", 1, heard.publisher, keep_chars=100_000)

    def write() -> None:
        for _ in range(500):
            stream.write("line\n")

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stream.end_cell()
    assert "".join(heard.texts) == "line\n" * 2000


def test_interrupt_while_output_is_sent_comes_after_it(heard: Heard) -> None:
    stream = CellStream("stdout", 1, heard.publisher, keep_chars=100)

    async def cell() -> None:
        task = asyncio.current_task()
        assert task is not None
        heard.interrupts.arm(task)
        try:
            with heard.interrupts.lock:
                signal.raise_signal(signal.SIGINT)
                stream.write("whole")
            with pytest.raises(KeyboardInterrupt):
                stream.write(" and more")
        finally:
            heard.interrupts.cell = None
        signal.raise_signal(signal.SIGINT)

    heard.loop.run_until_complete(cell())
    stream.end_cell()
    assert "".join(heard.texts) == "whole and more"
