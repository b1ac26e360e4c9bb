"""Notebooks as files: run by nbclient, saved, read again, converted to HTML."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbconvert import HTMLExporter

from jupyterlab_tir.serving.state import ServerState
from jupyterlab_tir.viewing.wire import MIME

QUICKSTART = Path(__file__).parents[2] / "examples" / "quickstart.ipynb"


@pytest.fixture
def own_environment(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in tuple(os.environ):
        if name.startswith(("TIR_", "OPENAI_", "JUPYTER", "JPY_")):
            monkeypatch.delenv(name)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)


def execute(notebook: Any, folder: Path, saved: Path) -> Any:
    """Run a notebook as `jupyter execute` does, save it, and read the file again."""
    client = NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}})
    try:
        client.execute()
    finally:
        nbformat.write(notebook, saved)
    return nbformat.read(saved, as_version=4)


def html_of(notebook: Any) -> str:
    text, _ = HTMLExporter(template_name="classic").from_notebook_node(notebook)
    return str(text)


def cell(notebook: Any, cell_id: str) -> Any:
    return next(each for each in notebook.cells if each["id"] == cell_id)


def new_notebook(*sources: str) -> Any:
    notebook = nbformat.v4.new_notebook()
    for number, source in enumerate(sources):
        notebook.cells.append(nbformat.v4.new_code_cell(source, id=f"cell-{number}"))
    return notebook


@pytest.mark.usefixtures("own_environment")
def test_a_saved_notebook_holds_the_static_bundle_and_no_widget(
    write_script: Callable[..., str], tmp_path: Path
) -> None:
    slow = write_script(["It is \\boxed{4}."], first_token_ms=900)
    options = f"--mode text --dialect fenced --samples 1 --base-url {slow} --check 4"
    cell_source = f"%%tir {options}\nWhat is 2 + 2?"
    notebook = execute(
        new_notebook("%load_ext jupyterlab_tir", cell_source, "print('answer', _)"),
        tmp_path,
        tmp_path / "saved.ipynb",
    )
    [output] = cell(notebook, "cell-1").outputs
    assert set(output.data) == {MIME, "text/html", "text/markdown", "image/png", "text/plain"}
    # One of one finished attempt, unverified, is the whole weight.
    assert output.data[MIME]["end"]["verdict"]["verdict"] == "agrees"
    assert cell(notebook, "cell-2").outputs[0].text == "answer 4\n"
    page = html_of(notebook)
    assert "The samples agree with 4: 1 of 1 finished sample" in page
    assert 'value="1.0000"' in page
    assert "widgets" not in notebook.metadata
    assert "widget" not in str(notebook)


@pytest.mark.usefixtures("own_environment")
def test_a_mistake_ends_the_notebook_with_its_sentence(tmp_path: Path) -> None:
    notebook = new_notebook("%load_ext jupyterlab_tir", "%%tir --sampels 2\nx", "print('went on')")
    saved = tmp_path / "saved.ipynb"
    with pytest.raises(CellExecutionError, match="did you mean --samples"):
        execute(notebook, tmp_path, saved)
    kept = nbformat.read(saved, as_version=4)
    [error] = cell(kept, "cell-1").outputs
    assert error.ename == "UsageError"
    assert cell(kept, "cell-2").outputs == []


def test_the_quickstart_is_valid_stores_no_outputs_and_names_its_cells() -> None:
    notebook = nbformat.read(QUICKSTART, as_version=4)
    nbformat.validate(notebook)
    code = [each for each in notebook.cells if each.cell_type == "code"]
    assert all(each.outputs == [] and each.execution_count is None for each in code)
    assert [each["id"] for each in code][:3] == ["load", "first", "status"]
    ids = [each["id"] for each in notebook.cells]
    assert len(set(ids)) == len(ids)


@pytest.mark.vllm
@pytest.mark.usefixtures("own_environment")
def test_every_cell_of_the_quickstart_runs_against_a_real_model(
    vllm_server: ServerState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIR_BASE_URL", vllm_server.base_url)
    notebook = nbformat.read(QUICKSTART, as_version=4)
    notebook = execute(notebook, QUICKSTART.parent, tmp_path / "quickstart.ipynb")
    code = [each for each in notebook.cells if each.cell_type == "code"]
    kinds = [output.output_type for each in code for output in each.outputs]
    assert "error" not in kinds
    [output] = cell(notebook, "first").outputs
    run = output.data[MIME]
    # The model is small: its vote is a matter of chance, its accounts are not.
    assert run["head"]["server"]["version"] == "0.32.0"
    assert run["end"]["verdict"]["claim"] == "2870"
    tally = run["tally"]
    without = sum(len(row["samples"]) for row in tally.get("withoutBallot", []))
    not_started = run["end"].get("saved", {}).get("notStarted", 0)
    assert tally["answered"] + without == 8 - not_started
    assert tally["answered"] > 0
    assert cell(notebook, "scripted").outputs[0].data[MIME]["end"]["answer"] == "21"
    assert cell(notebook, "python").outputs[0].text.startswith(f"answer: {run['end']['answer']} | ")
    page = html_of(notebook)
    assert run["end"]["verdict"]["words"].split(":")[0] in page
    assert f"{tally['finished']} of {tally['planned']} samples finished" in page
