"""Pages that watch a run in a real kernel, over its control channel, whatever the cell does."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from jupyterlab_tir.viewing.wire import MIME

Json = dict[str, Any]

CELL = "%%tir\nWhat is 2 + 2?"
BLOCKING = "get_ipython().run_cell_magic('tir', '', 'What is 2 + 2?')"
BLOCKING_IN_AWAITED = f"import asyncio\nawait asyncio.sleep(0)\n{BLOCKING}"

# A second is the aim; the machine of a test may be busy with other things.
SLACK = 10


@pytest.fixture(scope="module")
def server(serve: Callable[[str], Any], write_script: Callable[..., str]) -> Any:
    """One attempt answers at once; another streams for minutes."""
    script = write_script(["The answer is \\boxed{4}."], [{"text": "so " * 20_000, "token_ms": 10}])
    return serve(script.removeprefix("scripted:"))


@pytest.fixture(scope="module")
def notebook(start_notebook: Callable[..., Any], server: Any) -> Iterator[Any]:
    notebook = start_notebook(
        TIR_BASE_URL=server.base_url,
        TIR_SAMPLES="2",
        TIR_MODE="text",
        TIR_DIALECT="fenced",
        TIR_STOP="none",
    )
    notebook.run("%load_ext jupyterlab_tir")
    yield notebook
    notebook.close()


def begin(notebook: Any, code: str, cell_id: str | None = None) -> tuple[str, str]:
    """Run a cell until its output shows a run; what was sent, and the run's id."""
    sent = notebook.send(code, cell_id=cell_id)

    def shows_run(content: Json) -> bool:
        return MIME in content["data"]

    shown = notebook.await_message(sent, "display_data", shows_run)
    return sent, shown["content"]["data"][MIME]["head"]["runId"]


def await_batch(notebook: Any, page: str, fits: Callable[[Json], object]) -> Json:
    message: Json = notebook.await_message(
        "",
        "tir_batch",
        lambda content: content["page"] == page and fits(content["batch"]),
    )
    return message["content"]["batch"]


@pytest.mark.parametrize("code", [CELL, BLOCKING, BLOCKING_IN_AWAITED])
def test_page_watches_opens_and_stops_a_run(notebook: Any, server: Any, code: str) -> None:
    page = f"page of {code}"
    sent, run = begin(notebook, code, cell_id="cell-7")
    told = notebook.ask({"kind": "hello", "run": run, "page": page, "opened": []})
    assert told["snapshot"]["head"]["runId"] == run
    before = told["snapshot"].get("tokens", 0)
    batch = await_batch(notebook, page, lambda batch: batch["tokens"] > before)
    assert "transcripts" not in batch
    assert notebook.ask({"kind": "open", "run": run, "page": page, "opened": [1]})["status"] == "ok"
    # The first may come before the sample has said anything.
    batch = await_batch(
        notebook, page, lambda batch: any(t["segments"] for t in batch.get("transcripts", []))
    )
    [transcript] = batch["transcripts"]
    assert transcript["sample"] == 1
    assert transcript["segments"][0]["text"].startswith("so ")
    more = await_batch(notebook, page, lambda batch: "texts" in batch)["texts"]
    assert {each["sample"] for each in more} == {1}
    assert notebook.ask({"kind": "alive", "run": run, "page": page})["status"] == "ok"
    listed = notebook.ask({"kind": "runs"})["runs"]
    here = {"runId": run, "cellId": "cell-7", "session": notebook.client.session.session}
    assert {**here, "over": False} in listed
    early = {"kind": "final", "run": run, "page": f"waits for {code}"}
    assert notebook.ask(early) == {"status": "not-over"}
    assert notebook.ask({"kind": "hello", "run": run})["status"] == "refused"

    began = time.monotonic()
    assert notebook.ask({"kind": "stop", "run": run}) == {"status": "ok"}
    ran = notebook.ran(sent)
    assert time.monotonic() - began < 1 * SLACK
    # Who stops a run does not want the next cells either.
    assert ran.error["traceback"] == ["Stopped by the user; what had finished is kept."]
    [bundle] = ran.bundles
    assert (bundle[MIME]["end"]["status"], bundle[MIME]["end"]["answer"]) == ("stopped", "4")
    assert server.running == 0
    final = notebook.ask({"kind": "final", "run": run})
    assert (final["status"], final["bundle"]) == ("ok", bundle)
    following = notebook.reply(notebook.send("0"))["execution_count"]
    assert (final["cellId"], final["executionCount"]) == ("cell-7", following - 1)
    assert await_batch(notebook, early["page"], lambda _: True) == {"over": True}
    assert (
        final["metadata"]
        == notebook.await_message(sent, "update_display_data")["content"]["metadata"]
    )
    assert list(final["metadata"]) == ["image/png"]
    assert await_batch(notebook, page, lambda batch: "end" in batch)["end"]["answer"] == "4"
    batches = notebook.batches(page)
    assert [each["number"] for each in batches] == list(range(1, len(batches) + 1))
    assert {**here, "over": True} in notebook.ask({"kind": "runs"})["runs"]


def test_page_that_comes_back_goes_on_from_there(notebook: Any) -> None:
    sent, run = begin(notebook, CELL)
    notebook.ask({"kind": "hello", "run": run, "page": "first", "opened": []})
    await_batch(notebook, "first", lambda batch: batch["tokens"] > 20)
    notebook.ask({"kind": "bye", "run": run, "page": "first"})
    assert notebook.ask({"kind": "alive", "run": run, "page": "first"})["status"] == "unknown-page"
    told = notebook.ask({"kind": "hello", "run": run, "page": "second", "opened": [1]})
    snapshot = told["snapshot"]
    [transcript] = snapshot["transcripts"]
    text = transcript["segments"][0]["text"]
    while len(text) < 300:
        number = len(notebook.batches("second"))
        batch = await_batch(notebook, "second", lambda batch, n=number: batch["number"] > n)
        text += "".join(each["text"] for each in batch.get("texts", []))
    assert set(text.split()) == {"so"}
    assert "so so so so so" in text
    notebook.ask({"kind": "stop", "run": run})
    notebook.ran(sent)


def test_load_and_unload_begin_and_end_the_answers(notebook: Any) -> None:
    asks = "print('tir_request' in get_ipython().kernel.control_handlers)"
    notebook.run("%reload_ext jupyterlab_tir")
    assert notebook.run(asks).printed == "True\n"
    notebook.run("%unload_ext jupyterlab_tir")
    assert notebook.run(asks).printed == "False\n"
    notebook.run("%load_ext jupyterlab_tir")
    assert notebook.run(asks).printed == "True\n"


@pytest.mark.parametrize("content", [["stop"], {"kind": "stop"}, {"kind": "stop", "run": "x"}])
def test_requests_that_mean_nothing_change_nothing(notebook: Any, content: object) -> None:
    assert notebook.ask(content)["status"] in ("refused", "unknown-run")
    assert notebook.run("print(1 + 1)").printed == "2\n"


def test_sixty_four_streams_are_few_and_small_messages(
    notebook: Any, write_script: Callable[..., str]
) -> None:
    streams = [[{"text": "so " * 150 + "\\boxed{4}", "token_ms": 20}]] * 64
    many = write_script(*streams)
    sent, run = begin(
        notebook, f"%%tir --base-url {many} --samples 64 --parallel 64 --ahead 64\nWhat is 2 + 2?"
    )
    notebook.ask({"kind": "hello", "run": run, "page": "many", "opened": []})
    assert notebook.ran(sent).status == "ok"
    await_batch(notebook, "many", lambda batch: "end" in batch)
    came = [
        (message["header"]["date"].timestamp(), message["content"]["batch"])
        for message in notebook._published[""]
        if message["content"]["page"] == "many"
    ]
    seconds = came[-1][0] - came[0][0]
    assert 5 < len(came) <= 15 * seconds + 2
    # Any second of it, too.
    for first, last in itertools.combinations(came, 2):
        if last[0] - first[0] < 1:
            assert last[1]["number"] - first[1]["number"] <= 16
    size = sum(len(json.dumps(batch)) for _, batch in came)
    assert size < 200_000 * seconds
    [bundle] = notebook.ran(sent).bundles
    assert came[-1][1]["end"] == bundle[MIME]["end"]
