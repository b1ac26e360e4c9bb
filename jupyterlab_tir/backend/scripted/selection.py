"""Which turn of which sample a request asks for.

Our client says so in its `X-Request-Id`; for any other client the order of arrival and the
conversation so far decide. Pure but for the order of arrival, which a `Selector` remembers.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from jupyterlab_tir.backend.scripted.refusal import RefusedRequest
from jupyterlab_tir.backend.scripted.requests import ChatRequest, CompletionRequest
from jupyterlab_tir.backend.scripted.script import Script, Turn

if TYPE_CHECKING:
    from jupyterlab_tir.backend.scripted.script import Sample

PROBLEM_MARK = "Problem:"
OUTPUT_MARK = "```output"
PROBE_PREFIX = "tir-probe"

_OUR_ID = re.compile(r"tir-[A-Za-z0-9-]+-s(?P<sample>\d+)-a(?P<attempt>\d+)-t(?P<turn>\d+)")
_TURN_OF_PROBE = re.compile(r"-t(\d+)$")

_PAST_THE_END = Turn()
_PROBE_WITH_CODE = (
    Turn(text="I compute the product.\n\n```python\nprint(123 * 456)\n```\n"),
    Turn(text="The answer is \\boxed{56088}."),
)
_PROBE_IN_PROSE = (Turn(text="123 times 456 is 56088, so the answer is 56088."),)


class Conversation(msgspec.Struct, frozen=True):
    """What a request says, read for our purposes."""

    problem: str
    result: str
    turn: int
    text: str


class Selection(msgspec.Struct, frozen=True):
    """The turn to play, with the place that it has in the script (None for a probe)."""

    turn: Turn
    text: str
    sample: int | None = None
    attempt: int | None = None
    turn_index: int = 0


class _Arrival(msgspec.Struct):
    sample: int
    turn: int


def read_conversation(request: CompletionRequest | ChatRequest, prompt: str) -> Conversation:
    """The problem, the last code result and the number of turns so far.

    The problem is what follows the last "Problem:", so that worked examples do not count. In a
    completion it ends at the first empty line.
    """
    if isinstance(request, ChatRequest):
        asked = [m.text for m in request.messages if m.role in {"user", "system", "developer"}]
        replies = [n for n, m in enumerate(request.messages) if m.role == "assistant"]
        after = request.messages[replies[-1] + 1 :] if replies else []
        result = "\n".join(message.text for message in after)
        return Conversation(_after_mark("\n".join(asked)), result, len(replies), prompt)
    current = _after_mark(prompt)
    outputs = current.split(OUTPUT_MARK)
    return Conversation(current, outputs[-1] if len(outputs) > 1 else "", len(outputs) - 1, prompt)


def echoed_problem(request: CompletionRequest | ChatRequest, prompt: str) -> str:
    """The problem's text alone: the last user message, or the section after "Problem:"."""
    if isinstance(request, ChatRequest):
        asked = [message.text for message in request.messages if message.role == "user"]
        return asked[-1].strip() if asked else ""
    return _after_mark(prompt).strip().split("\n\n", 1)[0].strip()


class Selector:
    """Chooses turns for the requests to one server, in the order in which they arrive."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._arrivals: dict[int, list[_Arrival]] = {}

    def select(
        self,
        request: CompletionRequest | ChatRequest,
        prompt: str,
        request_id: str | None,
    ) -> Selection:
        """The turn that a request asks for.

        Raises
        ------
        RefusedRequest
            422 when no problem of the script fits, or the code result that the client sent back is
            not the one that the script expects.
        """
        conversation = read_conversation(request, prompt)
        if request_id is not None and request_id.startswith(PROBE_PREFIX):
            return self._probe(conversation, request_id)
        number = self._problem(conversation)
        samples = self._script.problems[number].samples
        ours = _OUR_ID.fullmatch(request_id or "")
        if ours:
            sample, attempt, turn_index = (int(ours[k]) for k in ("sample", "attempt", "turn"))
        else:
            sample, attempt = self._next_arrival(number, samples, conversation), 0
            turn_index = conversation.turn
        turns = samples[sample % len(samples)].turns_of(attempt)
        turn = turns[turn_index] if turn_index < len(turns) else _PAST_THE_END
        if turn.result_contains is not None and turn.result_contains not in conversation.result:
            place = f"problems[{number}].samples[{sample % len(samples)}], turn {turn_index}"
            raise RefusedRequest(
                422,
                f"The script expects {turn.result_contains!r} in the code result before {place}, "
                f"but the client sent {conversation.result.strip()[:500]!r}.",
                "UnprocessableEntityError",
            )
        text = turn.text + (echoed_problem(request, prompt) if turn.echo else "")
        return Selection(turn, text, sample, attempt, turn_index)

    def _probe(self, conversation: Conversation, request_id: str) -> Selection:
        code = self._script.server.chat_follows_code
        turns = _PROBE_WITH_CODE if code else _PROBE_IN_PROSE
        named = _TURN_OF_PROBE.search(request_id)
        index = int(named[1]) if named else conversation.turn
        turn = turns[index] if index < len(turns) else _PAST_THE_END
        return Selection(turn, turn.text, turn_index=index)

    def _problem(self, conversation: Conversation) -> int:
        for number, problem in enumerate(self._script.problems):
            if problem.contains in conversation.problem:
                return number
        raise RefusedRequest(
            422,
            "No problem of the script fits this request: none of the phrases "
            f"{[problem.contains for problem in self._script.problems]} is in "
            f'{conversation.problem.strip()[:200]!r}. Add a problem with "contains": "" '
            "to answer everything else.",
            "UnprocessableEntityError",
        )

    def _next_arrival(
        self,
        number: int,
        samples: tuple[Sample, ...],
        conversation: Conversation,
    ) -> int:
        """Sample of a request without our header.

        A first turn is the next sample; a later one belongs to the sample whose reply it repeats.
        """
        arrivals = self._arrivals.setdefault(number, [])
        if conversation.turn:
            for arrival in arrivals:
                turns = samples[arrival.sample % len(samples)].turns_of(0)
                follows = arrival.turn == conversation.turn - 1 < len(turns)
                if follows and turns[arrival.turn].text.strip() in conversation.text:
                    arrival.turn = conversation.turn
                    return arrival.sample
        arrivals.append(_Arrival(len(arrivals), conversation.turn))
        return len(arrivals) - 1


def _after_mark(text: str) -> str:
    _, mark, after = text.rpartition(PROBLEM_MARK)
    return after if mark else text
