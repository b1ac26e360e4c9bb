"""Laws of equality, over answers whose right comparison is known from how they were built."""

from __future__ import annotations

import random
from itertools import pairwise

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from jupyterlab_tir.answers import canonical, equivalent
from jupyterlab_tir.voting import Ballot, SampleOutcome, Tally, tally
from jupyterlab_tir.voting.policies import Weighted

from .answer_terms import Term, agree, equal_terms, latex, number, of, python, similar_terms, terms
from .answer_texts import Spelled, answers

X = Term("leaf", leaf="x")
EXAMPLES = settings(max_examples=80)


def two_texts(draw: st.DrawFn, said: Spelled) -> tuple[str, str]:
    return draw(st.sampled_from(said.texts)), draw(st.sampled_from(said.texts))


@st.composite
def two_spellings(draw: st.DrawFn) -> tuple[str, str]:
    return two_texts(draw, draw(answers))


def counted(texts: list[str]) -> Tally:
    outcomes = [
        SampleOutcome(
            sample=sample, status="answered", ballot=Ballot(answer=canonical(text), raw=text)
        )
        for sample, text in enumerate(texts)
    ]
    return tally(outcomes, planned=len(texts), policy=Weighted())


@EXAMPLES
@given(answers, st.data())
def test_an_answer_equals_itself_and_has_one_key(said: Spelled, data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(said.texts))
    assert equivalent(text, text) is True
    assert canonical(text) == canonical(text)
    assert canonical(f"  {text} ").key == canonical(text).key


@EXAMPLES
@given(two_spellings())
def test_spellings_of_one_value_are_equal_both_ways(texts: tuple[str, str]) -> None:
    a, b = texts
    assert equivalent(a, b) is True
    assert equivalent(b, a) is True


@EXAMPLES
@given(two_spellings())
def test_spellings_of_one_value_have_one_key(texts: tuple[str, str]) -> None:
    a, b = texts
    assert canonical(a).key == canonical(b).key


@EXAMPLES
@given(answers, answers, st.data())
def test_other_values_are_other_answers(one: Spelled, other: Spelled, data: st.DataObject) -> None:
    assume((one.kind, one.value) != (other.kind, other.value))
    a = data.draw(st.sampled_from(one.texts))
    b = data.draw(st.sampled_from(other.texts))
    assert canonical(a).key != canonical(b).key
    assert equivalent(a, b) is not True
    assert equivalent(b, a) is not True


@EXAMPLES
@given(equal_terms())
@example((of("sin", X), of("sin", X)))
def test_laws_of_arithmetic_keep_the_key(pair: tuple[Term, Term]) -> None:
    a, b = pair
    assert agree(a, b)
    keys = {canonical(spell(term)).key for spell in (latex, python) for term in pair}
    assert len(keys) == 1
    assert equivalent(latex(a), python(b)) is True


@EXAMPLES
@given(similar_terms())
@example((of("square", of("add", X, number(1))), of("square", of("sub", X, number(1)))))
def test_one_key_means_one_value_at_every_point(pair: tuple[Term, Term]) -> None:
    a, b = pair
    same = agree(a, b)
    assert (canonical(latex(a)).key == canonical(python(b)).key) is same
    assert (equivalent(latex(a), latex(b)) is True) is same


@EXAMPLES
@given(terms, terms)
def test_unrelated_terms_are_equal_only_where_their_values_are(a: Term, b: Term) -> None:
    assert (canonical(latex(a)).key == canonical(latex(b)).key) is agree(a, b)


@settings(max_examples=25)
@given(st.lists(answers, min_size=2, max_size=6), st.randoms(use_true_random=False))
def test_tally_has_a_candidate_for_each_value_in_any_order(
    values: list[Spelled], shuffling: random.Random
) -> None:
    texts = [shuffling.choice(said.texts) for said in values for _ in range(2)]
    shuffled = shuffling.sample(texts, k=len(texts))
    one, other = counted(texts), counted(shuffled)
    by_key = [{(c.key, c.count) for c in each.candidates} for each in (one, other)]
    assert by_key[0] == by_key[1]
    assert len(one.candidates) == len({(said.kind, said.value) for said in values})
    assert all(a.weight >= b.weight for a, b in pairwise(other.candidates))


@settings(max_examples=10)
@given(st.lists(answers, min_size=2, max_size=6), st.randoms(use_true_random=False))
def test_outcomes_in_another_order_give_the_same_tally(
    values: list[Spelled], shuffling: random.Random
) -> None:
    outcomes = [
        SampleOutcome(
            sample=sample, status="answered", ballot=Ballot(answer=canonical(text), raw=text)
        )
        for sample, text in enumerate(shuffling.choice(said.texts) for said in values)
    ]
    shuffled = shuffling.sample(outcomes, k=len(outcomes))
    assert tally(shuffled, planned=9, policy=Weighted()) == tally(
        outcomes, planned=9, policy=Weighted()
    )
