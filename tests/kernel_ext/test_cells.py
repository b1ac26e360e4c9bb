"""Cells in a real kernel: values, outputs, options, mistakes, nesting."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_tir.sandbox.levels import choose, describe, probe
from jupyterlab_tir.viewing.wire import MIME

# A kernel and its helpers are fixtures of the conftest: `start_notebook`, `write_script`.
Start = Callable[..., Any]


@pytest.fixture(scope="module")
def notebook(start_notebook: Start, write_script: Callable[..., str]) -> Iterator[Any]:
    """A kernel that asks a script: two attempts say 4, one 5, one nothing; all in text."""
    four = ["It is \\boxed{4}."]
    script = write_script(four, four, ["It is \\boxed{5}."], ["I do not know."], token_ms=1)
    notebook = start_notebook()
    assert notebook.run("%load_ext jupyterlab_tir").status == "ok"
    for name, value in (("base_url", script), ("samples", 4), ("mode", "text"), ("stop", "none")):
        assert notebook.run(f"%config TIR.{name} = {value!r}").printed == ""
    yield notebook
    notebook.close()


def shown(ran: Any) -> str:
    """The text of the one output of a cell."""
    [bundle] = ran.bundles
    text: str = bundle["text/plain"]
    return text


def test_a_cell_shows_the_static_bundle_once_and_its_value_is_the_result(notebook: Any) -> None:
    ran = notebook.run("%%tir --check 4 --out found\nWhat is 2 + 2?\n")
    assert ran.status == "ok"
    [bundle] = ran.bundles
    assert set(bundle) == {MIME, "text/html", "text/markdown", "image/png", "text/plain"}
    assert bundle[MIME]["head"]["problem"]["text"] == "What is 2 + 2?"
    assert bundle[MIME]["head"]["settings"]["samples"] == 4
    assert bundle["text/plain"].startswith("AGREES  The samples agree with 4: 2 of 4 finished")
    ran = notebook.run(
        "print(_, found, _ is found, found.tally.leader.count, type(found).__name__)"
    )
    assert ran.printed == "4 4 True 2 RunResult\n"


def test_a_result_displayed_later_shows_its_bundle(notebook: Any) -> None:
    notebook.run("%%tir --out found\nWhat is 2 + 2?")
    assert shown(notebook.run("found")).startswith("Answer: 4\n")


def test_a_run_is_shown_by_its_id_and_by_the_path_of_its_record(notebook: Any) -> None:
    notebook.run("%%tir --out found\nWhat is 2 + 2?")
    for name in "{found.run_id}", "{found.record}":
        assert shown(
            notebook.run(f"get_ipython().run_line_magic('tir', f'show {name}')")
        ).startswith("Answer: 4\n")


def test_what_is_shown_live_is_replaced(notebook: Any, write_script: Callable[..., str]) -> None:
    slow = write_script(["It is \\boxed{4}."], first_token_ms=900)
    ran = notebook.run(f"%%tir --dialect fenced --base-url {slow}\nWhat is 2 + 2?")
    [bundle] = ran.bundles
    assert MIME in bundle
    assert "application/vnd.jupyter.widget-view+json" not in bundle
    assert ran.updates >= 1


def test_text_and_options_are_literal_in_both_ways_of_running(notebook: Any) -> None:
    text = ">>> What is {2} + $x$ \\ %d '''\"\"\"?\n... 1\n!ls\n%%tir\n?y"
    notebook.run("x = 'wrong'")
    for code in (
        f"%%tir --check {{x}}$x --out found\n{text}",
        f"found = get_ipython().run_cell_magic('tir', '--check {{x}}$x', {text!r})",
    ):
        notebook.run(code)
        ran = notebook.run(
            "import json; print(json.dumps([found.problem.text, found.problem.claim]))"
        )
        assert json.loads(ran.printed) == [text, "{x}$x"]


@pytest.mark.parametrize(
    "code",
    [
        "get_ipython().run_cell_magic('tir', '', 'What is 2 + 2?')",
        "%%time\n%%tir\nWhat is 2 + 2?",
        "get_ipython().run_cell('%%tir\\nWhat is 2 + 2?');",
        "import asyncio\nawait asyncio.sleep(0)\nget_ipython().run_cell_magic('tir', '', 'What?')",
    ],
)
def test_a_magic_within_a_running_cell_waits_and_shows_once(notebook: Any, code: str) -> None:
    ran = notebook.run(code)
    assert ran.status == "ok"
    assert [MIME in bundle for bundle in ran.bundles] == [True]


def test_a_captured_cell_captures_the_static_bundle_alone(notebook: Any) -> None:
    assert notebook.run("%%capture kept\n%%tir\nWhat is 2 + 2?").outputs == []
    # IPython keeps an empty output for a value that displays nothing more.
    ran = notebook.run("print([sorted(each.data)[0] for each in kept.outputs if each.data])")
    assert ran.printed == f"['{MIME}']\n"


def test_a_cell_runs_where_await_is_switched_off(notebook: Any) -> None:
    notebook.run("%autoawait False")
    try:
        assert shown(notebook.run("%%tir\nWhat is 2 + 2?")).startswith("Answer: 4\n")
    finally:
        notebook.run("%autoawait True")


@pytest.mark.parametrize(
    ("code", "name", "words"),
    [
        (
            "%%tir --sampels 3\nx",
            "UsageError",
            "--sampels is not an option: did you mean --samples?",
        ),
        ("%%tir --samples 0\nx", "UsageError", "samples is '0', but must be a whole number from 1"),
        ("%%tir --samples 2\n", "UsageError", "The cell holds only options: write the problem"),
        ("%%tir", "UsageError", "The cell is empty: write the problem in the lines below %%tir."),
        ("%%tir --base-url nowhere\nx", "UsageError", "is not an address"),
        ("%%tir --base-url http://127.0.0.1:9/v1\nx", "NoServerError", "tir serve --embedded"),
        ("%tir statsu", "UsageError", "did you mean %tir status?"),
        ("%tir show", "UsageError", "`%tir runs` lists them"),
        ("%tir show nothing", "RecordError", "nothing"),
        ("%tir replay", "UsageError", "%tir replay needs the ids of runs"),
        ("%tir replay x --samples 3", "UsageError", "at most the options policy, stop, w_code"),
        ("%tir replay x --stop gut", "UsageError", "There is no stop rule 'gut'"),
        ("%tir config --sampels 2", "UsageError", "did you mean --samples?"),
        ("get_ipython().run_cell_magic('tir', '', ' ')", "UsageError", "The cell is empty"),
    ],
)
def test_a_mistake_is_one_line_and_the_cell_failed(
    notebook: Any, code: str, name: str, words: str
) -> None:
    ran = notebook.run(code)
    assert ran.status == "error"
    assert ran.bundles == []
    [line] = ran.error["traceback"]
    assert words in line
    assert "\n" not in line
    assert ran.error["ename"] == name


def test_help_shows_every_option_with_an_example(notebook: Any) -> None:
    for code in ("%%tir --help\n", "%tir help", "%tir"):
        assert "%%tir --samples 8 --check 2870" in shown(notebook.run(code))
    sent = notebook.send("%%tir?")
    [payload] = notebook.reply(sent)["payload"]
    assert "--check ANSWER" in payload["data"]["text/plain"]


def test_a_sentence_stands_where_other_output_does(notebook: Any) -> None:
    [bundle] = notebook.run("%tir stop").bundles
    assert bundle["text/plain"] == "No run of this kernel is going on."
    # JupyterLab's own margins of such an element are 24 and 32 pixels.
    assert bundle["text/html"].startswith('<pre style="margin: 0; ')


def test_the_order_of_sources_is_one_and_is_told(notebook: Any) -> None:
    text = shown(notebook.run("%tir config --tau 0.9"))
    assert "option, session (%config TIR), environment (TIR_*" in text
    rows = {line.split()[0]: line for line in text.splitlines()}
    assert "session (%config TIR)" in rows["samples"]
    assert rows["tau"].split()[1:3] == ["0.9", "option"]


def test_a_wrong_session_value_is_refused_and_the_old_one_stays(notebook: Any) -> None:
    assert "samples is 0, but must be" in notebook.run("%config TIR.samples = 0").printed
    assert "Did you mean `samples`?" in notebook.run("%config TIR.sampels = 2").printed
    assert (
        notebook.run("print(get_ipython().run_line_magic('config', 'TIR.samples'))").printed
        == "4\n"
    )


def test_status_runs_and_show_say_what_the_terminal_says(notebook: Any) -> None:
    notebook.run("%%tir --out found\nWhat is 2 + 2, <b>please</b>?")
    status = " ".join(shown(notebook.run("%tir status")).split())
    assert "scripted" in status
    assert "isolation no code is run: the mode is text" in status
    status = " ".join(shown(notebook.run("%tir status --mode tir")).split())
    offer = asyncio.run(probe())
    level = choose("best", offer)
    assert f"isolation {level}: the model's code gets {describe(level, offer.partial)}" in status
    refused = notebook.run("%tir status --mode tir --kernel nowhere")
    assert refused.status == "ok"
    assert "refused: No kernel is called 'nowhere'" in shown(refused)
    [bundle] = notebook.run("%tir runs").bundles
    assert "&lt;b&gt;please" in bundle["text/html"]
    assert "<b>please" not in bundle["text/html"]
    run_id = notebook.run("print(found.run_id)").printed.strip()
    assert shown(notebook.run(f"%tir show {run_id}")).startswith("Answer: 4\n")
    view, trace = notebook.run(f"%tir show {run_id} --trace").bundles
    assert MIME in view
    assert "decided by" in trace["text/plain"]
    again = shown(notebook.run(f"%tir replay {run_id} nothing --policy majority --stop lead:1"))
    assert again.split()[:6] == ["run", "problem", "recorded", "now", "samples", "rule"]
    assert "nothing: There is no run 'nothing'" in again
    assert again.endswith("0 of 1 answers differ. Not voted on again: 1.")


def test_loading_twice_reloading_and_unloading_leave_one_or_none(notebook: Any) -> None:
    count = (
        "ip = get_ipython()\n"
        "print(sum(type(t).__name__ == 'CellTransformer' for t in "
        "ip.input_transformer_manager.cleanup_transforms), "
        "sum(type(c).__name__ == 'TIR' for c in ip.configurables), "
        "'tir' in ip.magics_manager.magics['cell'])"
    )
    notebook.run("%load_ext jupyterlab_tir_kernel")
    notebook.run("%load_ext jupyterlab_tir")
    notebook.run("%reload_ext jupyterlab_tir")
    assert notebook.run(count).printed == "1 1 True\n"
    assert shown(notebook.run("%%tir\nWhat is 2 + 2?")).startswith("Answer: 4\n")
    notebook.run("%unload_ext jupyterlab_tir")
    assert notebook.run(count).printed == "0 0 False\n"
    notebook.run("%load_ext jupyterlab_tir")
    assert notebook.run(count).printed == "1 1 True\n"
    # What was set for the session is still set.
    assert shown(notebook.run("%%tir\nWhat is 2 + 2?")).startswith("Answer: 4\n")


def test_a_shell_without_a_kernel_runs_cells_too(
    write_script: Callable[..., str], environment: dict[str, str], tmp_path: Path
) -> None:
    import subprocess
    import sys

    program = tmp_path / "script.py"
    program.write_text(
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        "shell.run_line_magic('load_ext', 'jupyterlab_tir')\n"
        "shell.run_cell('%%tir --mode text --out found\\nWhat is 2 + 2?')\n"
        "print('value:', shell.user_ns['found'], shell.user_ns['_'] is shell.user_ns['found'])\n"
    )
    script = write_script(["It is \\boxed{4}."])
    done = subprocess.run(
        [sys.executable, str(program)],
        env={**environment, "TIR_BASE_URL": script},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.startswith("Answer: 4\n")
    assert done.stdout.count("Answer: 4") == 1
    assert done.stdout.endswith("value: 4 True\n")
