"""The front end draws what Python says of a run.

The files in `labextension/tests/data/view` are what Python makes and what the TypeScript tests
read, so that neither side can change the form alone. To write them again, run
`python -m tests.labextension.test_view_data`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jupyterlab_tir.viewing.typescript import generated

from .view_runs import PAGES

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "labextension" / "tests" / "data" / "view"
WIRE = ROOT / "labextension" / "src" / "view" / "wire.ts"


def written(name: str) -> str:
    return json.dumps(PAGES[name](), indent=1) + "\n"


@pytest.mark.parametrize("name", PAGES)
def test_the_front_ends_test_data_is_what_python_makes(name: str) -> None:
    assert json.loads((DATA / f"{name}.json").read_text()) == json.loads(written(name)), (
        "what a page is told of a run changed: run `python -m tests.labextension.test_view_data`, "
        "then mend labextension/src/view until `make test` passes"
    )


def test_no_data_is_left_that_python_does_not_make() -> None:
    assert {path.stem for path in DATA.glob("*.json")} == set(PAGES)


def test_the_types_of_the_front_end_are_those_of_the_wire() -> None:
    assert WIRE.read_text() == generated(), (
        "the wire changed: run `python -m jupyterlab_tir.viewing.typescript > "
        f"{WIRE.relative_to(ROOT)}`"
    )


if __name__ == "__main__":
    DATA.mkdir(parents=True, exist_ok=True)
    for each in PAGES:
        (DATA / f"{each}.json").write_text(written(each))
