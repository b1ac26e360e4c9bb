"""The static bundle: what it says, and that nothing foreign in it is markup or grows it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import mistune
import msgspec
import pytest

from jupyterlab_tir import RunResult
from jupyterlab_tir.events import AnyEvent, RunEnded, RunStarted
from jupyterlab_tir.viewing.wire import MIME, Snapshot
from jupyterlab_tir_kernel.bundle import metadata_of, static_bundle
from jupyterlab_tir_kernel.html_run import HTML_BYTES
from jupyterlab_tir_kernel.publishing import Bundle
from jupyterlab_tir_kernel.shown_results import bundle_of
from jupyterlab_tir_kernel.static_run import of_events, of_result
from jupyterlab_tir_kernel.text import md_prose
from jupyterlab_tir_kernel.wording import COLUMNS

from .static_runs import HOSTILE, RUN_ID, Page, continued, run_events

FORMS = {MIME, "text/html", "text/markdown", "image/png", "text/plain"}


def bundle(events: list[AnyEvent]) -> Bundle:
    return static_bundle(of_events(events))


def hostile() -> Bundle:
    return bundle(run_events([HOSTILE, None], problem=HOSTILE, claim=HOSTILE, foreign=HOSTILE))


def result_of(events: list[AnyEvent], record: Path) -> RunResult:
    """The result of a run, whose record is written to a file."""
    started, ended = events[0], events[-1]
    assert isinstance(started, RunStarted)
    assert isinstance(ended, RunEnded)
    record.write_bytes(b"".join(msgspec.json.encode(event) + b"\n" for event in events))
    return RunResult(
        run_id=started.run_id,
        record=record,
        status=ended.status,
        reason=ended.reason,
        problem=started.problem,
        answer=ended.answer,
        tally=ended.tally,
        verdict=ended.verdict,
        stop=ended.stop,
        saved=ended.saved,
        server=started.server,
        isolation=started.isolation,
        seed=started.seed,
        seconds=2.5,
        tokens=ended.tokens_out or 0,
    )


def test_the_verdict_comes_first_and_counts_and_weights_stand_side_by_side() -> None:
    text = bundle(run_events())["text/plain"]
    # Two verified ballots weigh 2 each and one plain ballot 1: 4.00 and 1.00 of 5.
    assert text.splitlines() == [
        (
            "AGREES  The samples agree with 385: 2 of 4 finished samples, 2 of them code-verified, "
            "with 80% of the weight."
        ),
        "Answer: 385",
        "answer       samples  code-verified  weight  share  entropy",
        "385          2        2              4.00    80%    0.00     ████████████████░░░░",
        "285          1        0              1.00    20%    0.00     ████░░░░░░░░░░░░░░░░",
        "token limit  1",
        "tiny",
        "Because of tiny.",
        "40 tokens in 2.5 s; isolation: none.",
        f"run {RUN_ID}; seed 7",
    ]


def test_html_holds_the_same_numbers_as_text_and_as_bars() -> None:
    page = Page(bundle(run_events())["text/html"])
    assert page.text.startswith("AGREES The samples agree with 385")
    for words in ("Answer: 385", "4 of 4 samples finished", "4.00", "80%", "token limit", "seed7"):
        assert words in page.text
    # Shares of the weight, and the leader's of the samples: 1 of 1, 2 of 2, 2 of 3, 2 of 4.
    assert page.attributes["value"] == {"0.8000", "0.2000", "1.0000", "0.6667", "0.5000"}
    assert not page.open
    assert not page.foreign


def test_html_holds_transcripts_that_are_closed() -> None:
    text = bundle(run_events())["text/html"]
    page = Page(text)
    assert "open" not in page.attributes
    parts = "TextLet me see: tinyCodesum(range(9)) # tinyResulttiny 385TextSo it is."
    assert f"Sample 1{parts}Sample 2{parts}" in page.text
    # Sample 3 of 4: its row, with two turns and ten tokens.
    assert "3answered285none0.00100.42" in page.text


def test_markdown_says_the_same() -> None:
    text = bundle(run_events())["text/markdown"]
    assert text.startswith("**AGREES** The samples agree with 385\\: 2 of 4")
    assert "| `385` | 2 | 2 | 4.00 | 80% | 0.00 |" in text
    assert "| token limit | 1 |  |  |  |  |" in text


def test_our_json_is_the_snapshot_with_its_transcripts() -> None:
    run = of_events(run_events())
    built = static_bundle(run)[MIME]
    assert built["schema"] == 2
    assert built["end"]["answer"] == "385"
    assert built["end"]["verdict"]["verdict"] == "agrees"
    assert [each["sample"] for each in built["transcripts"]] == [0, 1, 2, 3]
    assert msgspec.convert(json.loads(json.dumps(built)), Snapshot) == run


def test_a_picture_has_words_for_whoever_cannot_see_it() -> None:
    assert metadata_of(bundle(run_events())) == {
        "image/png": {
            "alt": (
                "TIR run. AGREES. Answer: 385. 385: 2 of 4 samples, 80% of the weight. "
                "285: 1 of 4 samples, 20% of the weight. Because of tiny."
            ),
            "width": 720,
        }
    }


def test_nothing_foreign_is_markup_or_typeset_in_html() -> None:
    made = hostile()
    page = Page(made["text/html"])
    assert not page.foreign
    assert not page.open
    assert "<script>alert(1)</script>" in page.text
    # What is outside of code elements is typeset, and there must be nothing of theirs.
    assert "$" not in page.typeset
    assert "alert" not in page.typeset
    for form in ("text/html", "text/plain", "text/markdown"):
        assert "\x1b" not in made[form]
        assert "\u202e" not in made[form]
    assert "<U+202E>" in page.text


def test_markdown_holds_no_foreign_markup() -> None:
    text = hostile()["text/markdown"]
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    for mark in ("<script", "](javascript", "<img", "$"):
        assert mark not in re.sub(r"\\.", "", outside)


@pytest.mark.parametrize(
    "answer",
    [
        r"\|<img src=x onerror=alert(1)>",
        r"\|[a](javascript:x)",
        r"\left\|x\right\|",
        r"\\\|<b>|`|``a|`",
        "|",
        "||`",
        r"a\|\(x\)|$y$",
    ],
)
def test_an_answer_stays_in_its_cell_of_markdown_as_code(answer: str) -> None:
    text = bundle(run_events([answer, "385"], claim=None))["text/markdown"]
    row = next(line for line in text.split("\n") if line.endswith("| 1 | 1 | 2.00 | 50% | 0.00 |"))
    cell = row.removesuffix("| 1 | 1 | 2.00 | 50% | 0.00 |").removeprefix("|")
    # Whatever a parser takes for an escape, no bar is there to end the cell.
    assert "|" not in cell
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", cell)
    assert set(outside) <= set(" &#124;")
    drawn = mistune.create_markdown(plugins=["table"], escape=False)(text)
    page = Page(str(drawn))
    assert answer in page.text
    assert not {"img", "a", "b"} & set(page.tags)
    assert page.tags.count("td") == 2 * len(COLUMNS)


def test_no_formula_is_left_in_the_sentences_of_markdown() -> None:
    assert md_prose(r"\(x\) $$y$$ \begin{a}") == r"`\`\(x`\`\) `$$`y`$$` `\`begin\{a\}"
    page = Page(str(mistune.html(md_prose(r"\(x\) and \[y\] and $z$"))))
    assert page.text.strip() == r"\(x\) and \[y\] and $z$"
    assert not set("\\$") & set(page.typeset)


def test_a_megabyte_on_one_line_stays_small() -> None:
    made = bundle(
        run_events(["9" * 1_000_000], problem="x" * 100_000, claim="1", foreign="m" * 1_000_000)
    )
    assert len(made["text/html"].encode()) < 60_000
    assert len(made["image/png"]) < 100_000
    assert len(made["text/plain"]) < 10_000
    assert len(json.dumps(made)) < 300_000
    assert made[MIME]["head"]["problem"]["chars"] == 100_000


@pytest.mark.parametrize("character", ["\u202e", '"', "\U0001f600"])
def test_html_keeps_its_budget_whatever_is_written_in_it(character: str) -> None:
    # Each grows when it is escaped, to 14, 6 and 4 bytes.
    foreign = character * 20_000
    answers: list[str | None] = [f"{n}{foreign}" for n in range(200)]
    made = bundle(run_events(answers, problem=f"Sum{foreign}", foreign=foreign))
    text = made["text/html"]
    assert HTML_BYTES * 0.9 < len(text.encode()) <= HTML_BYTES
    page = Page(text)
    assert not page.open
    assert re.search(r"\d+ more transcripts are not shown here", page.text)
    for form in ("text/markdown", "text/plain", "image/png"):
        assert len(made[form].encode()) <= 100_000


def test_a_thousand_candidates_stay_small_and_say_how_many_are_left_out() -> None:
    made = bundle(run_events([str(n) for n in range(1000)]))
    assert len(made[MIME]["tally"]["candidates"]) == 100
    assert made[MIME]["tally"]["leftOut"] == 900
    assert "980 more candidates are not shown." in made["text/plain"]
    assert len(made["text/html"].encode()) <= HTML_BYTES


def test_a_record_that_was_cut_short_says_so() -> None:
    made = bundle(run_events(ended=False))
    assert made[MIME]["end"]["status"] == "cut-short"
    assert made["text/plain"].startswith("Cut short\nAnswer: 385\n")


def test_a_run_that_goes_on_is_shown_as_far_as_it_came() -> None:
    run = msgspec.structs.replace(of_events(run_events()), end=None)
    made = static_bundle(run)
    assert made["text/plain"].startswith("Still going on\nAnswer: 385\n")
    assert "The run had not ended." in made["text/html"]


def test_a_lone_surrogate_from_a_server_is_replaced() -> None:
    made = bundle(run_events(foreign="a\ud800b"))
    json.dumps(made, ensure_ascii=False).encode()


def test_a_run_that_did_not_begin_has_no_static_form() -> None:
    with pytest.raises(ValueError, match="did not begin"):
        of_events([])


def test_a_result_is_drawn_from_its_record(tmp_path: Path) -> None:
    events = run_events()
    made, metadata = bundle_of(result_of(events, tmp_path / "run.jsonl"))
    assert made == bundle(events)
    assert metadata == metadata_of(made)


def test_a_result_without_its_record_shows_what_it_holds_alone(tmp_path: Path) -> None:
    result = result_of(run_events(), tmp_path / "run.jsonl")
    result.record.unlink()
    made, _ = bundle_of(result)
    assert set(made) == FORMS
    assert "samples" not in made[MIME]
    assert "temperature" not in made[MIME]["head"]
    assert (
        made["text/plain"].splitlines()[:4] == bundle(run_events())["text/plain"].splitlines()[:4]
    )
    assert not Page(made["text/html"]).foreign


def test_a_damaged_record_does_not_keep_a_result_from_being_shown(tmp_path: Path) -> None:
    result = result_of(run_events(), tmp_path / "run.jsonl")
    result.record.write_bytes(b"{\n" + result.record.read_bytes())
    assert bundle_of(result)[0] == static_bundle(of_result(result))


def test_a_record_that_tells_of_another_run_is_not_shown(tmp_path: Path) -> None:
    result = result_of(run_events(), tmp_path / "run.jsonl")
    # As many samples and tokens, other votes.
    result_of(run_events(["285", "285", "385", None]), result.record)
    assert bundle_of(result)[0] == static_bundle(of_result(result))


def test_a_result_keeps_its_numbers_when_its_run_went_on(tmp_path: Path) -> None:
    events = run_events()
    first = result_of(events, tmp_path / "run.jsonl")
    longer = continued(events, ["285", "285"])
    last = result_of(longer, first.record)
    assert bundle_of(first)[0] == bundle(events)
    assert bundle_of(last)[0] == bundle(longer)
    # Three plain ballots and two verified ones.
    assert "of 6 samples, 43% of the weight" in metadata_of(bundle(longer))["image/png"]["alt"]
