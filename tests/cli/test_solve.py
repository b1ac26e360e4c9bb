"""`tir solve` as its users meet it: output, exit codes, interruption, bad input."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import RunTir

Script = Callable[..., str]
CODE = "```python\nprint(sum(k*k for k in range(1, 21)))\n```\n"
SILENT = {"fault": {"kind": "silent"}}


def test_an_answer_ends_with_0_and_shows_its_tally(
    tir: RunTir, script: Script, best_level: str
) -> None:
    done = tir("solve", "Sum?", "--base-url", script([CODE, r"\boxed{2870}"]), "--samples", "2")
    assert done.returncode == 0, done.stderr
    assert "Answer: 2870" in done.stdout
    assert f"isolation: {best_level};" in done.stdout
    assert not done.stderr


def test_the_verdict_comes_first(tir: RunTir, script: Script) -> None:
    base_url = script([r"\boxed{2870}"])
    done = tir("solve", "Sum?", "--check", "2870", "--base-url", base_url, "--mode", "text")
    assert done.stdout.startswith("AGREES  The samples agree with 2870:")
    assert done.returncode == 0


def test_no_answer_ends_with_1(tir: RunTir, script: Script) -> None:
    done = tir("solve", "Sum?", "--base-url", script(["Hm."]), "--samples", "2", "--mode", "text")
    assert done.returncode == 1
    assert "No answer" in done.stdout
    assert "no answer" in done.stdout


def test_an_answer_out_of_range_is_counted_for_nobody_and_told(tir: RunTir, script: Script) -> None:
    base_url = script([r"\boxed{12}"], [r"\boxed{-3}"])
    settings = ("--samples", "2", "--mode", "text", "--stop", "none", "--base-url", base_url)
    done = tir("solve", "Sum?", "--answer", "integer", "--range", "0..99", *settings)
    assert done.returncode == 0, done.stderr
    assert "Answer: 12" in done.stdout
    assert "unexpected answer" in done.stdout
    told = " ".join(done.stdout.split())
    assert "It answered -3, which is outside the range 0..99." in told
    [run] = json.loads(tir("runs", "--json").stdout)
    shown = tir("show", run["run"])
    assert " ".join(shown.stdout.split()) == f"Sum? {told}"


@pytest.mark.parametrize("bounds", ["9..0", "-5", "a..b"])
def test_a_range_that_is_none_is_bad_usage(tir: RunTir, bounds: str) -> None:
    done = tir("solve", "Sum?", "--range", bounds, "--base-url", "echo")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "range" in done.stderr


def test_a_range_may_begin_below_zero(tir: RunTir, script: Script) -> None:
    base_url = script([r"\boxed{-3}"])
    done = tir("solve", "Sum?", "--range", "-5..5", "--base-url", base_url, "--mode", "text")
    assert "Answer: -3" in done.stdout


def test_json_is_one_object_on_one_line(tir: RunTir, script: Script) -> None:
    done = tir("solve", "Sum?", "--json", "--base-url", script([r"\boxed{7}"]), "--mode", "text")
    (line,) = done.stdout.splitlines()
    result = json.loads(line)
    assert result["answer"] == "7"
    assert result["isolation"] == "no code is run"
    assert Path(result["record"]).is_file()


def test_policy_and_stop_rules_can_be_chosen(tir: RunTir, script: Script) -> None:
    done = tir(
        "solve", "Sum?", "--json", "--base-url", script([r"\boxed{7}"]), "--mode", "text",
        "--policy", "majority", "--stop", "lead:2,beta:0.95", "--samples", "9", "--parallel", "1",
    )  # fmt: skip
    result = json.loads(done.stdout)
    assert result["tally"]["policy"] == "majority"
    assert (result["stop"]["rule"], result["stop"]["after"]) == ("lead", 2)
    shown = tir("show", result["run_id"])
    assert "Votes are counted by the policy majority." in shown.stdout
    assert "a lead of 2 was asked for" in " ".join(shown.stdout.split())


def test_problems_from_a_file_and_from_standard_input(
    tir: RunTir, script: Script, tmp_path: Path
) -> None:
    file = tmp_path / "two.md"
    file.write_text("<!-- a note -->\nOne?\n\n---\n\nTwo?\n", encoding="utf-8")
    base_url = script([r"\boxed{7}"])
    done = tir("solve", "-f", str(file), "--json", "--base-url", base_url, "--mode", "text")
    texts = [json.loads(line)["problem"]["text"] for line in done.stdout.splitlines()]
    assert texts == ["One?", "Two?"]
    done = tir("solve", "-", "--json", "--base-url", base_url, "--mode", "text", stdin="$x$ {%}?\n")
    assert json.loads(done.stdout)["problem"]["text"] == "$x$ {%}?"


@pytest.mark.parametrize(
    ("arguments", "stdin", "code", "sentence"),
    [
        (["solve", ""], b"", 2, "The problem is empty"),
        (["solve", "-"], b" \n", 2, "Standard input holds no problem"),
        (["solve", "-"], b"x" * 200_000, 2, "200,000 characters"),
        (["solve", "-"], b"caf\xe9", 2, "not UTF-8"),
        (["solve"], b"", 2, "Give one problem"),
        (["solve", "x", "-f", "y"], b"", 2, "Give one problem"),
        (["solve", "-f", "/nonexistent.md"], b"", 2, "cannot be read"),
        (["solve", "x", "--samples", "0"], b"", 2, "samples is '0', but must be"),
        (["solve", "x", "--tau", "2"], b"", 2, "tau is '2', but must be"),
        (["solve", "x", "--stop", "share:75"], b"", 2, "The stop rule share takes a share from"),
        (["solve", "x", "--stop", "sahre"], b"", 2, "There is no stop rule 'sahre'"),
        (["solve", "x", "--policy", "blokcs"], b"", 2, "policy is 'blokcs', but must be one of"),
        (["solve", "x", "--temperature", "0"], b"", 2, "would be the same"),
        (["solve", "x", "--base-url", "localhost:80"], b"", 2, "with its scheme"),
        (["solve", "x", "--sampels", "3"], b"", 2, "--samples"),
        (["solve", "x"], b"", 3, "no embedded server is running"),
        (["solve", "x", "--base-url", "http://127.0.0.1:9/v1"], b"", 3, "No server answers"),
        (["solve", "x", "--base-url", "scripted:/nonexistent"], b"", 2, "/nonexistent"),
        (["show", "nothing"], b"", 2, "There is no run 'nothing'"),
    ],
)
def test_bad_input_gets_one_sentence(
    tir: RunTir, arguments: list[str], stdin: bytes, code: int, sentence: str
) -> None:
    done = tir(*arguments, stdin=stdin)
    assert done.returncode == code, done.stderr
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert not done.stdout


@pytest.mark.parametrize(
    ("server", "code", "sentence"),
    [
        ({"api_key": "sk-other"}, 3, "wants an API key: put it in the environment variable"),
        ({"max_model_len": 128}, 2, "holds 128"),
    ],
)
def test_a_server_that_cannot_be_used_gets_one_sentence(
    tir: RunTir, script: Script, server: dict[str, Any], code: int, sentence: str
) -> None:
    done = tir("solve", "word " * 200, "--base-url", script([r"\boxed{1}"], **server))
    assert (done.returncode, sentence in done.stderr) == (code, True), done.stderr


def test_a_refused_key_is_not_shown(tir: RunTir, script: Script) -> None:
    done = tir(
        "solve", "x", "--base-url", script([r"\boxed{1}"], api_key="sk-right"),
        OPENAI_API_KEY="sk-wrong-secret",
    )  # fmt: skip
    assert done.returncode == 3
    assert "refuses the API key in the environment variable OPENAI_API_KEY" in done.stderr
    assert "sk-" not in done.stderr + done.stdout


def test_model_text_cannot_drive_the_terminal(tir: RunTir, script: Script) -> None:
    evil = "\x1b[2J\x1b]0;owned\x07\u202e[bold]x[/]"
    done = tir("solve", evil, "--base-url", script([rf"\boxed{{{evil}}}"]), "--mode", "text")
    assert done.returncode == 0, done.stderr
    for character in ("\x1b", "\x07", "\u202e"):
        assert character not in done.stdout
    assert "[bold]x[/]" in done.stdout


def start_solving(environment: dict[str, str], *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "jupyterlab_tir", "solve", "x", *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def wait_for_record(environment: dict[str, str], word: bytes) -> Path:
    """Wait until a record holds a word, and return its file."""
    folder = Path(environment["JUPYTER_DATA_DIR"]) / "tir" / "runs"
    end = time.monotonic() + 60
    while time.monotonic() < end:
        for path in folder.glob("*.jsonl"):
            if word in path.read_bytes():
                return path
        time.sleep(0.05)
    raise AssertionError(f"no record with {word!r}")


def test_an_interrupt_keeps_the_partial_tally_and_ends_everything(
    environment: dict[str, str],
    tir: RunTir,
    script: Script,
    below: Callable[[int], set[int]],
    assert_gone: Callable[[set[int]], None],
) -> None:
    base_url = script([r"\boxed{7}"], ["```python\nwhile True: pass\n```\n"], [SILENT])
    process = start_solving(
        environment, "--base-url", base_url, "--samples", "3", "--timeout", "30"
    )
    record = wait_for_record(environment, b"cell 1: started")
    wait_for_record(environment, b"sample 1: answered")
    children = below(process.pid)
    assert children
    interrupted = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    took = time.monotonic() - interrupted
    assert process.returncode == 130, err
    assert took < 10
    assert b"Stopped by the user" in out
    assert b"Traceback" not in err
    shown = tir("show", record.stem)
    assert shown.returncode == 0
    assert "Stopped by the user" in shown.stdout
    assert_gone(children)


def test_a_killed_process_leaves_a_readable_record_and_no_kernel(
    environment: dict[str, str],
    tir: RunTir,
    script: Script,
    below: Callable[[int], set[int]],
    assert_gone: Callable[[set[int]], None],
) -> None:
    base_url = script([r"\boxed{7}"], ["```python\nwhile True: pass\n```\n"])
    process = start_solving(
        environment, "--base-url", base_url, "--samples", "2", "--timeout", "30"
    )
    record = wait_for_record(environment, b"cell 1: started")
    wait_for_record(environment, b"sample 1: answered")
    children = below(process.pid)
    assert children
    for command in ("show", "replay"):
        meanwhile = " ".join(tir(command, record.stem).stdout.split())
        assert "The run is still going on" in meanwhile
        assert "killed" not in meanwhile
    assert "still going on" in tir("runs").stdout
    process.kill()
    process.communicate(timeout=30)
    assert_gone(children)
    shown = tir("show", str(record))
    assert shown.returncode == 0, shown.stderr
    assert "The record ends before the run did" in shown.stdout
    assert "7" in shown.stdout
    assert "cut short" in tir("runs").stdout


def test_show_trace_lists_every_event(tir: RunTir, script: Script) -> None:
    base_url = script([CODE, r"\boxed{2870}"])
    tir("solve", "Sum?", "--base-url", base_url, "--samples", "1", "--no-verify")
    (row,) = json.loads(tir("runs", "--json").stdout)
    assert (row["status"], row["answer"]) == ("answered", "2870")
    shown = tir("show", row["run"], "--trace").stdout
    for title in ("sample 1, turn 1: cut-at-code", "cell 1: ok", "answer 2870", "run ended"):
        assert title in shown


def test_config_tells_every_source_and_no_secret(tir: RunTir, environment: dict[str, str]) -> None:
    folder = Path(environment["JUPYTER_CONFIG_DIR"])
    folder.mkdir()
    (folder / "tir.toml").write_text("samples = 12\ntau = 0.9\n", encoding="utf-8")
    variables = {"TIR_TAU": "0.8", "OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}
    done = tir("config", "--seed", "5", "--json", OPENAI_API_KEY="sk-secret", **variables)
    values = json.loads(done.stdout)
    assert (values["samples"]["value"], values["samples"]["source"]) == (
        12,
        f"file {folder / 'tir.toml'}",
    )
    assert (values["tau"]["value"], values["tau"]["source"]) == (0.8, "environment TIR_TAU")
    assert values["base_url"]["source"] == "environment OPENAI_BASE_URL"
    assert (values["seed"]["value"], values["seed"]["source"]) == (5, "option")
    assert values["timeout"]["source"] == "default"
    table = tir("config", OPENAI_API_KEY="sk-secret").stdout
    assert "OPENAI_API_KEY (set)" in table
    assert "sk-secret" not in table + done.stdout


def test_status_says_what_would_be_asked_and_how(tir: RunTir, script: Script) -> None:
    done = tir("status", "--base-url", script([r"\boxed{1}"], model="tiny", max_model_len=4096))
    assert done.returncode == 0, done.stderr
    for word in ("vLLM 0.32.0", "tiny", "4,096 tokens", "fenced:", "isolation"):
        assert word in done.stdout


def test_a_closed_pipe_is_no_traceback(environment: dict[str, str], script: Script) -> None:
    base_url = script([r"\boxed{7}"])
    command = (
        f"'{sys.executable}' -m jupyterlab_tir solve x --json --mode text "
        f"--base-url '{base_url}' | true"
    )
    done = subprocess.run(
        ["sh", "-c", command], env=environment, capture_output=True, timeout=60, check=False
    )
    assert b"Traceback" not in done.stderr


def test_importing_the_package_is_cheap_and_loads_nothing_heavy() -> None:
    code = (
        "import sys, jupyterlab_tir\n"
        "heavy = {'httpx', 'numpy', 'sympy', 'rich', 'typer', 'zmq', 'jupyter_client', 'msgspec'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"
