from __future__ import annotations

from typing import TYPE_CHECKING

from jupyterlab_tir.serving.log import last_error, last_stage, plain, read_tail

if TYPE_CHECKING:
    from pathlib import Path

VLLM_DIED = [
    "(APIServer pid=5) INFO 11-29 19:04:58 [api_utils.py:286] non-default args: {}",
    "(EngineCore pid=7) ERROR 11-29 19:05:21 [core.py:1510] EngineCore failed to start.",
    "(EngineCore pid=7) ERROR 11-29 19:05:21 [core.py:1510] Traceback (most recent call last):",
    "(EngineCore pid=7) ERROR 11-29 19:05:21 [core.py:1510] ValueError: not enough memory",
    "Process EngineCore:",
    "raise RuntimeError(",
    "RuntimeError: Engine core initialization failed. See root cause above.",
    "supervisor: the server ended by itself with exit code 1",
]


def test_root_cause_is_preferred_to_its_consequence() -> None:
    assert last_error(VLLM_DIED) == "ValueError: not enough memory"


def test_wrong_argument_is_found() -> None:
    lines = ["usage: api_server.py [-h]", "api_server.py: error: unrecognized arguments: --x"]
    assert last_error(lines) == "api_server.py: error: unrecognized arguments: --x"


def test_validation_error_is_told_by_the_line_below() -> None:
    lines = ["pydantic_core.ValidationError: 1 validation error for ModelConfig", "Invalid folder"]
    assert last_error(lines) == "Invalid folder"


def test_log_without_an_error_gives_its_last_line() -> None:
    assert last_error(["one", "two"]) == "two"
    assert last_error([]) is None


def test_kill_is_told_although_the_server_printed_nothing() -> None:
    line = "supervisor: the server was killed (SIGKILL), by hand or for want of memory"
    assert last_error(["INFO 11-29 19:05:21 [a.py:1] Loading", line]) == line


def test_stage_skips_banner_and_warnings() -> None:
    lines = [
        "(EngineCore pid=7) INFO 11-29 18:59:31 [core.py:133] Initializing a V1 LLM engine",
        "(APIServer pid=5) INFO 11-29 18:59:06 [api_utils.py:347]   █▄█▀ █  version 0.32.0",
        "(APIServer pid=5) WARNING 11-29 18:59:06 [system_utils.py:255] Found ulimit",
    ]
    assert last_stage(lines) == "Initializing a V1 LLM engine"
    assert last_stage(lines[1:]) is None


def test_long_lines_are_cut() -> None:
    assert len(plain("x" * 5000)) == 200


def test_only_the_end_of_a_long_log_is_read(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("early\n" + "x" * 100_000 + "\nlate\r\n\n")
    assert read_tail(path)[-1] == "late"
    assert "early" not in read_tail(path)
    assert read_tail(tmp_path / "absent") == []
    assert read_tail(path, start=len("early\n") + 100_000) == ["late"]
