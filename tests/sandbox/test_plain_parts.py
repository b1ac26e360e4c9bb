"""The parts that need no kernel."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given, strategies

from jupyterlab_tir.sandbox.connection import read_frames
from jupyterlab_tir.sandbox.hints import hint_for
from jupyterlab_tir.sandbox.inside.wire import DELIMITER, Wire
from jupyterlab_tir.sandbox.plain_text import clean, head_and_tail
from jupyterlab_tir.sandbox.result_channel import read_report


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("a\tb\n", "a\tb\n"),
        ("10%\r20%\r\n", "10%\n20%\n"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b[38;5;196mred\x1b[K", "red"),
        ("\x1b(B\x1bcreset", "reset"),
        ("\x00\x08\x7f\x85\x9b31mtext", "text"),
        ("half \ud83d", "half \ufffd"),
        ("\x1b", ""),
    ],
)
def test_only_text_tabs_and_newlines_pass(sent: str, shown: str) -> None:
    assert clean(sent) == shown


def test_what_fits_is_left_alone() -> None:
    assert head_and_tail("abcd", 2) == ("abcd", 0)


def test_cut_counts_what_the_kernel_left_out_too() -> None:
    assert head_and_tail("abcdef", 2, 10) == ("ab\n[... 12 characters cut ...]\nef", 12)
    assert head_and_tail("abcd", 5, 10) == ("ab\n[... 10 characters cut ...]\ncd", 10)


@pytest.mark.parametrize(
    "payload", [None, [], [7], [{"source": "other", "stdout_cut": 1}], "text", {"source": 1}]
)
def test_missing_or_malformed_report_reads_as_nothing(payload: object) -> None:
    report = read_report(payload)
    assert report["stdout_cut"] == 0
    assert report["peak_memory_bytes"] is None
    assert report["out_of_memory"] is False


@pytest.mark.parametrize(
    ("name", "message", "start"),
    [
        ("AttributeError", "module 'sympy' has no attribute 'foo'", "sympy has no foo"),
        ("ImportError", "cannot import name 'foo' from 'sympy' (x)", "sympy has no foo"),
        ("NameError", "name 'x' is not defined", "define or import x"),
        ("TypeError", "cannot determine truth value of Relational: x < 1", "a symbolic"),
        ("TypeError", "Cannot convert expression to float", "the expression still"),
        ("OverflowError", "int too large to convert to float", "floats end"),
        ("RuntimeError", "asyncio.run() cannot be called from a running event loop", "an event"),
    ],
)
def test_frequent_mistakes_have_a_hint(name: str, message: str, start: str) -> None:
    hint = hint_for(name, message)
    assert hint is not None
    assert hint.startswith(start)


_json = strategies.recursive(
    strategies.none()
    | strategies.booleans()
    | strategies.integers()
    | strategies.floats()
    | strategies.text()
    | strategies.sampled_from(["2026-11-29T18:47:29Z", "9999-12-31T24:00:00+99:99", "5.3"]),
    lambda inner: (
        strategies.lists(inner, max_size=3)
        | strategies.dictionaries(
            strategies.sampled_from(["msg_id", "msg_type", "date", "version", "name"]), inner
        )
    ),
    max_leaves=8,
)
_WIRE = Wire(b"key")


@given(
    parts=strategies.lists(_json | strategies.binary(), max_size=6), signed=strategies.booleans()
)
def test_any_signed_message_is_read_or_rejected(parts: list[object], signed: bool) -> None:  # noqa: FBT001
    frames = [p if isinstance(p, bytes) else json.dumps(p).encode() for p in parts]
    envelope = [DELIMITER, _WIRE.sign(frames[:4]), *frames] if signed else frames
    arrival = read_frames(_WIRE, envelope, 2**20)
    assert arrival.size_bytes == sum(map(len, envelope))
    if not signed:
        assert arrival.message is None


def test_importing_the_sandbox_loads_nothing_heavy() -> None:
    code = (
        "import sys, jupyterlab_tir.sandbox; "
        "print([m for m in ('zmq', 'jupyter_client', 'IPython', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
