"""The part of a snapshot by which a page votes again over a finished run; made by `revoting`."""

from __future__ import annotations

from ..voting import PolicyName, SampleStatus
from .wire_base import Wire


class ViewKey(Wire, frozen=True, kw_only=True):
    """A key of answers, or where it is long its beginning and a digest of all of it.

    Parameters
    ----------
    has_float
        Whether a part of it is a float, which may stand for another exact number.
    float_of
        Places of the keys that it is the float of.
    """

    key: str
    has_float: bool = False
    float_of: tuple[int, ...] = ()


class ViewAnswer(Wire, frozen=True, kw_only=True):
    """An answer as shown, and the places of all keys that it can be read as, its own first."""

    shown: str
    keys: tuple[int, ...]


class ViewBallot(Wire, frozen=True, kw_only=True):
    """One vote.

    Parameters
    ----------
    answer
        Place of its answer.
    replayed
        Whether code verified it.
    entropy, factor
        Mean token entropy H in nats, and exp(-H) as it weighs, to the bit; None without
        log-probabilities.
    """

    answer: int
    replayed: bool = False
    entropy: float | None = None
    factor: float | None = None


class ViewBlockBallot(Wire, frozen=True, kw_only=True):
    """The vote of a sample's code block by its index from 0."""

    block: int
    ballot: ViewBallot


class ViewEnded(Wire, frozen=True, kw_only=True):
    """A sample that ended.

    Parameters
    ----------
    begun
        Samples that had begun by then.
    asked
        Whether the stop rules were asked then.
    until
        Where the run was stopped then: samples that had ended when the stop was done; else 0.
    entropies, factors
        As of its ballots, for each of the run's `entropy_windows`; empty without a ballot.
    """

    sample: int
    status: SampleStatus
    tokens: int = 0
    begun: int
    ballot: ViewBallot | None = None
    blocks: tuple[ViewBlockBallot, ...] = ()
    asked: bool = True
    until: int = 0
    entropies: tuple[float | None, ...] = ()
    factors: tuple[float | None, ...] = ()


class ViewPart(Wire, frozen=True, kw_only=True):
    """A part of a run with one plan and one set of rules.

    Parameters
    ----------
    start, begun
        Samples that had ended before it, and that had begun.
    continued
        Whether it began with the run going on after an end.
    asked, until
        As of `ViewEnded`, for the moment at which it began.
    stop, tau, min_answers
        The settings of its stop rules.
    policy, w_code, max_blocks
        The settings by which its votes count.
    verifiable, measurable
        Whether votes to come may be code-verified, and may have an entropy.
    """

    start: int
    begun: int = 0
    continued: bool = False
    asked: bool = False
    until: int = 0
    planned: int
    stop: str
    tau: float
    min_answers: int
    policy: PolicyName
    w_code: float
    max_blocks: int
    verifiable: bool
    measurable: bool


class ViewRevote(Wire, frozen=True, kw_only=True):
    """What a page needs to vote again over a run that is over; see `viewing.revoting`.

    Parameters
    ----------
    keys
        All keys, in the order of their whole texts.
    answers
        All different answers.
    ended
        Samples in the order in which they were counted.
    parts
        In order; the first one starts at 0.
    begun
        Samples that had begun in the end.
    entropy_windows
        Last tokens of a sample whose mean entropies can weigh its ballots, 0 for all of them.
        Empty where the record has none but those with which the run weighed them.
    """

    keys: tuple[ViewKey, ...]
    answers: tuple[ViewAnswer, ...]
    ended: tuple[ViewEnded, ...]
    parts: tuple[ViewPart, ...]
    begun: int
    entropy_windows: tuple[int, ...] = ()
