"""The front end reads the static result that the kernel writes.

`labextension/tests/data/agrees.json` is what Python writes and what the TypeScript tests read, so
that neither side can change the format alone. Run this file to write it again.
"""

from __future__ import annotations

import json
from pathlib import Path

from jupyterlab_tir.events import RuleDecision, Saved, ServerInfo, Verdict
from jupyterlab_tir.voting import Candidate, Tally, WithoutBallot
from jupyterlab_tir_kernel.static_run import STATIC_SCHEMA, StaticProblem, StaticRun

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "labextension" / "tests" / "data" / "agrees.json"


def static_run() -> StaticRun:
    """Three samples for 2870, one for 385, one without an answer, stopped by the share rule."""
    return StaticRun(
        version="0.1.0",
        run_id="20261129-120000-abcd",
        created="2026-11-29T12:00:00Z",
        problem=StaticProblem(text="What is $1^2 + 2^2$?", chars=20, claim="2870"),
        settings={"samples": 8},
        status="answered",
        reason="The leader has 75% of the finished samples.",
        answer="2870",
        verdict=Verdict(
            verdict="agrees", claim="2870", words="AGREES: 3 of 5 samples gave 2870, 2 by code."
        ),
        tally=Tally(
            planned=8,
            finished=5,
            answered=4,
            lost=0,
            unfinished=0,
            candidates=(
                Candidate(
                    key="2870",
                    shown="2870",
                    count=3,
                    code_verified=2,
                    weight=4.5,
                    share=0.9,
                    mean_entropy=0.25,
                    samples=(0, 1, 3),
                ),
                Candidate(
                    key="385",
                    shown="385",
                    count=1,
                    code_verified=0,
                    weight=0.5,
                    share=0.1,
                    mean_entropy=None,
                    samples=(2,),
                ),
            ),
            without_ballot=(WithoutBallot(status="no-answer", samples=(4,)),),
            unmeasured=(2,),
        ),
        candidates_left_out=0,
        remarks=("One sample came without log-probabilities.",),
        notices=(),
        stop=RuleDecision(rule="share", words="3 of 4.", after=5),
        saved=Saved(not_started=2, cancelled=1, wasted_tokens=120),
        server=ServerInfo(
            base_url="http://127.0.0.1:8000/v1",
            source="option",
            product="vLLM",
            version="0.32.0",
            model="scripted <b>model</b>",
            context=4096,
            dialect="fenced",
            dialect_reason="named",
            reasoning=False,
            tokenizes=True,
        ),
        isolation="child processes, no box",
        seed=7,
        seconds=3.25,
        tokens=1234,
    )


def written() -> str:
    return json.dumps(static_run().to_builtins(), indent=2) + "\n"


def test_the_front_ends_test_data_is_what_the_kernel_writes() -> None:
    assert json.loads(GOLDEN.read_text()) == json.loads(written()), (
        f"the format of saved results changed: run `python {Path(__file__).relative_to(ROOT)}`, "
        "then mend labextension/src/runBundle.ts until `make test` passes"
    )


def test_the_front_end_reads_the_schema_that_the_kernel_writes() -> None:
    source = (ROOT / "labextension" / "src" / "runBundle.ts").read_text()
    assert f"export const RUN_SCHEMA = {STATIC_SCHEMA};" in source


if __name__ == "__main__":
    GOLDEN.write_text(written())
