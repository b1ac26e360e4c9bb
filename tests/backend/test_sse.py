"""Server-sent events out of bytes, as the WHATWG's standard reads them."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyterlab_tir.backend.sse import ServerSentEvent, SseDecoder


def decode(*chunks: bytes) -> list[tuple[str, str]]:
    decoder = SseDecoder()
    return [(event.name, event.data) for chunk in chunks for event in decoder.feed(chunk)]


def split(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(edges)]


STREAM = (
    ": ping\n\n"
    'data: {"x": "3 \N{MINUS SIGN} 1"}\r\n\r\n'
    "event: error\rdata: one\rdata:  two\r\r"
    "data: 1\r\ndata: 2\r\n\r\n"
    "id: 7\ndata\n\n"
    "data: 🙂\r\n\ndata: [DONE]\n\n"
).encode()
EVENTS = [
    ("message", '{"x": "3 \N{MINUS SIGN} 1"}'),
    ("error", "one\n two"),
    ("message", "1\n2"),
    ("message", ""),
    ("message", "🙂"),
    ("message", "[DONE]"),
]


@given(st.lists(st.integers(min_value=0, max_value=200), max_size=12))
def test_any_split_of_the_bytes_gives_the_same_events(places: list[int]) -> None:
    assert decode(*split(STREAM, places)) == EVENTS


def test_byte_by_byte_gives_the_same_events() -> None:
    assert decode(*(STREAM[n : n + 1] for n in range(len(STREAM)))) == EVENTS


@given(
    texts=st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n")), max_size=5
    ),
    ends=st.lists(st.sampled_from(["\n", "\r\n", "\r"]), min_size=10, max_size=10),
    places=st.lists(st.integers(min_value=0, max_value=10_000), max_size=20),
)
def test_any_texts_with_any_line_ends_come_back(
    texts: list[str], ends: list[str], places: list[int]
) -> None:
    # CR directly followed by LF is one line end: a bare CR must not meet a bare LF.
    wire = "".join(
        f"data: {text}{ends[2 * n]}{ends[2 * n] if ends[2 * n] == chr(13) else ends[2 * n + 1]}"
        for n, text in enumerate(texts)
    )
    expected = [("message", text) for text in texts]
    assert decode(*split(wire.encode(), places)) == expected


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_each_kind_of_line_end_ends_lines(end: str) -> None:
    assert decode(f"event: a{end}data: 1{end}{end}data: 2{end}{end}".encode()) == [
        ("a", "1"),
        ("message", "2"),
    ]


def test_a_bare_line_feed_after_a_cut_crlf_still_ends_the_event() -> None:
    assert decode(b"data: 1\r", b"\n", b"\n") == [("message", "1")]


def test_the_second_half_of_a_cut_crlf_does_not_end_the_event() -> None:
    assert decode(b"data: 1\r", b"\ndata: 2\r\n\r\n") == [("message", "1\n2")]
    assert decode(b"data: 1\r", b"", b"\ndata: 2\n\n") == [("message", "1\n2")]


def test_comments_and_unknown_fields_dispatch_nothing() -> None:
    assert decode(b": ping - 12:00\n\n:\n\n: keep-alive\n\nid: 1\n\nretry: 5\n\nfoo: x\n\n") == []


def test_a_comment_inside_an_event_does_not_break_it() -> None:
    assert decode(b"data: a\n: ping\ndata: b\n\n") == [("message", "a\nb")]


def test_one_space_after_the_colon_is_dropped_and_no_more() -> None:
    assert decode(b"data:a\n\ndata: a\n\ndata:  a\n\n") == [
        ("message", "a"),
        ("message", "a"),
        ("message", " a"),
    ]


def test_a_name_without_data_is_forgotten_with_its_event() -> None:
    assert decode(b"event: error\n\ndata: 1\n\n") == [("message", "1")]


def test_the_last_name_wins_and_the_next_event_has_none() -> None:
    assert decode(b"event: a\nevent: b\ndata: 1\n\ndata: 2\n\n") == [("b", "1"), ("message", "2")]


def test_an_unfinished_event_is_not_dispatched() -> None:
    assert decode(b"data: 1\n\ndata: 2\n") == [("message", "1")]


def test_characters_survive_a_split_inside_their_bytes() -> None:
    minus = "\N{MINUS SIGN}".encode()
    assert decode(b"data: ", minus[:1], minus[1:2], minus[2:], b"\n", b"\n") == [
        ("message", "\N{MINUS SIGN}")
    ]


def test_a_byte_order_mark_is_not_part_of_the_first_field() -> None:
    assert decode(b"\xef", b"\xbb\xbfdata: 1\n\n") == [("message", "1")]


def test_bytes_that_are_no_text_do_not_stop_the_stream() -> None:
    assert decode(b"data: a\xffb\n\ndata: c\n\n") == [("message", "a�b"), ("message", "c")]


def test_events_are_plain_values() -> None:
    assert list(SseDecoder().feed(b"data: 1\n\n")) == [ServerSentEvent("message", "1")]
