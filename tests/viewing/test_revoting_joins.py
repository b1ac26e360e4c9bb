"""What a page gets is enough to join the ballots of every part of a run as Python does."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from jupyterlab_tir.answers import forms, joining
from jupyterlab_tir.answers.canonical import Canonical
from jupyterlab_tir.viewing.clipping import clip_key
from jupyterlab_tir.viewing.revoting import AnswerTable, floats_of
from jupyterlab_tir.viewing.wire_revote import ViewAnswer, ViewKey

from .revoting_cases import AMBIGUOUS, THIRDS, cast


def joined(keys: Sequence[ViewKey], cast: Sequence[ViewAnswer]) -> list[int]:
    """`joining.candidate_keys` on places: what TypeScript does, in as few lines."""
    readings = {answer.keys for answer in cast}
    settled = {each[0] for each in readings if len(each) == 1}
    wanted = {key for each in readings for key in each[1:]}
    chosen: dict[tuple[int, ...], int] = {each: each[0] for each in readings if len(each) == 1}
    several = [each for each in readings if len(each) > 1]
    for each in sorted(several, key=lambda each: (each[0] not in wanted, each)):
        others = [key for key in each[1:] if key in settled]
        meets = each[0] not in settled and len(others) == 1
        chosen[each] = others[0] if meets else each[0]
        settled.add(chosen[each])
    taken = set(chosen.values())
    exact = {
        key: [o for o in keys[key].float_of if o in taken and not keys[o].has_float]
        for key in taken
    }
    return [
        exact[key][0] if len(exact[key]) == 1 else key
        for key in (chosen[answer.keys] for answer in cast)
    ]


@given(st.lists(st.sampled_from([*THIRDS, *AMBIGUOUS]), min_size=1, max_size=12))
def test_page_can_join_the_ballots_of_every_part_of_a_run(answers: list[Canonical]) -> None:
    fates = [cast(n, answer) for n, answer in enumerate(answers)]
    table = AnswerTable(fates)
    ballots = [table.ended(fate).ballot for fate in fates]
    told = [table.answers[ballot.answer] for ballot in ballots if ballot is not None]
    for end in range(1, len(answers) + 1):
        first = answers[:end]
        got = [table.keys[place].key for place in joined(table.keys, told[:end])]
        assert got == [clip_key(key) for key in joining.candidate_keys(first)]
    for answer, view in zip(answers, told, strict=True):
        assert [table.keys[place].key for place in view.keys] == [*map(clip_key, answer.keys)]
        plain = len(view.keys) == 1 and not table.keys[view.keys[0]].has_float
        assert plain == answer.is_settled


def test_page_knows_of_all_keys_which_one_is_the_float_of_which() -> None:
    keys = sorted({key for answer in [*THIRDS, *AMBIGUOUS] for key in answer.keys})
    found = floats_of(keys)
    for one in keys:
        assert (one in found) == forms.has_float(one)
        assert found.get(one, []) == [k for k in keys if forms.is_float_of(one, k)]
    assert found["f:0.3333333333333333"] == [
        "f:333333333333333333333333e-24",
        "q:1/3",
        "q:3333333333333333/10000000000000000",
    ]
