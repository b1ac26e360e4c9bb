"""How a model family is asked for code and shown its results.

A dialect turns a conversation (the problem and the turns so far) into the body of a request, and
says which endpoint takes it and which strings end a turn. Reading what comes back is
`backend.turns`. Dialects are stateless; a new one (tool calls, Harmony) is one more class in
`DIALECTS`.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Protocol

import msgspec

from ..config import Mode
from .client import Endpoint

DialectName = Literal["fewshot", "fenced"]


class PastTurn(msgspec.Struct, frozen=True):
    """A completed turn: what the model wrote, and the result of its code as it will read it."""

    text: str
    result: str


class Conversation(msgspec.Struct, frozen=True):
    """A problem and the turns so far."""

    problem: str
    turns: tuple[PastTurn, ...] = ()

    def after(self, text: str, result: str) -> Conversation:
        """Add a completed turn."""
        return Conversation(self.problem, (*self.turns, PastTurn(text, result)))


class Dialect(Protocol):
    """What the loop needs of a dialect."""

    name: ClassVar[DialectName]
    endpoint: ClassVar[Endpoint]
    stops: ClassVar[tuple[str, ...]]
    ends_at_answer: ClassVar[bool]
    usual_turn_tokens: ClassVar[int]

    def prompt(self, conversation: Conversation, mode: Mode) -> dict[str, Any]:
        """Give the part of the request's body that holds the prompt."""
        ...

    def logprobs(self, k: int) -> dict[str, Any]:
        """Give the part of the body that asks for k log-probabilities a token."""
        ...


def result_block(result: str) -> str:
    """Show a result between fences that the result itself cannot close.

    Examples
    --------
    >>> print(result_block("385"))
    ```output
    385
    ```
    """
    fence = "```"
    while fence in result:
        fence += "`"
    return f"{fence}output\n{result}\n{fence}"


class Fenced:
    """Chat with fenced ```python blocks: what instruct models do when they are asked to."""

    name: ClassVar[DialectName] = "fenced"
    endpoint: ClassVar[Endpoint] = "/chat/completions"
    stops: ClassVar[tuple[str, ...]] = ("```output",)
    ends_at_answer: ClassVar[bool] = False
    usual_turn_tokens: ClassVar[int] = 8192

    SYSTEM: ClassVar[dict[Mode, str]] = {
        "tir": (
            "Solve the mathematics problem step by step. Where computing helps, write one Python "
            "block:\n```python\n...\n```\nStop after the block: it is run, and its output comes "
            "back to you. Variables are kept between blocks. Print what you need; sympy, numpy, "
            "scipy, mpmath and networkx are there. Read the output before you go on, and mend "
            "errors. When you are sure, end with the final answer in \\boxed{}."
        ),
        "blocks": (
            "Solve the mathematics problem with Python. Reason briefly, then write one ```python "
            "block or several; they are run in order in one session, after your reply. The last "
            "expression or print must give the answer as a single value. Also end with the answer "
            "in \\boxed{} if you know it."
        ),
        "text": (
            "Solve the mathematics problem step by step, without code, and end with the final "
            "answer in \\boxed{}."
        ),
    }

    def prompt(self, conversation: Conversation, mode: Mode) -> dict[str, Any]:
        """Give the messages: the task, the problem, then replies and results in turn."""
        messages = [
            {"role": "system", "content": self.SYSTEM[mode]},
            {"role": "user", "content": conversation.problem},
        ]
        for turn in conversation.turns:
            messages.append({"role": "assistant", "content": turn.text})
            messages.append({"role": "user", "content": result_block(turn.result)})
        return {"messages": messages}

    def logprobs(self, k: int) -> dict[str, Any]:
        """Give chat's form: a switch and a number."""
        return {"logprobs": True, "top_logprobs": k} if k else {}


class _Example(msgspec.Struct, frozen=True):
    problem: str
    thought: str
    code: str
    output: str
    answer: str

    def shown(self, mode: Mode) -> str:
        reply = f"Problem: {self.problem}\n"
        if mode == "text":
            return f"{reply}{self.thought} The answer is \\boxed{{{self.answer}}}.\n"
        reply += f"```python\n{self.code}\n```\n"
        if mode == "blocks":
            return reply
        return f"{reply}{result_block(self.output)}\nThe answer is \\boxed{{{self.answer}}}.\n"


EXAMPLES = (
    _Example(
        "What is the product of 14 and 36?",
        "14 times 36 is 14 times 30 plus 14 times 6, that is 420 + 84 = 504.",
        "print(14 * 36)",
        "504",
        "504",
    ),
    _Example(
        "How many integers from 1 to 50 are multiples of 6?",
        "The multiples are 6 times 1 up to 6 times 8 = 48, so there are 8.",
        "print(sum(1 for n in range(1, 51) if n % 6 == 0))",
        "8",
        "8",
    ),
    _Example(
        "What is the remainder when 3^20 is divided by 11?",
        "3^5 = 243 = 22 times 11 + 1 leaves 1, so 3^20 leaves 1.",
        "print(pow(3, 20, 11))",
        "1",
        "1",
    ),
    _Example(
        "Anna has 12 pencils. She buys 3 boxes of 8 pencils and gives 5 away. "
        "How many pencils does she have?",
        "She has 12 + 3 times 8 - 5 = 31 pencils.",
        "pencils = 12\npencils = pencils + 3 * 8\npencils = pencils - 5\nprint(pencils)",
        "31",
        "31",
    ),
)
"""Worked examples of the few-shot dialect."""


class FewShot:
    """Completion after worked examples: what base models and tiny ones follow best."""

    name: ClassVar[DialectName] = "fewshot"
    endpoint: ClassVar[Endpoint] = "/completions"
    stops: ClassVar[tuple[str, ...]] = ("```output", "\nProblem:")
    ends_at_answer: ClassVar[bool] = True
    usual_turn_tokens: ClassVar[int] = 512

    def prompt(self, conversation: Conversation, mode: Mode) -> dict[str, Any]:
        """Give the text: worked examples, the problem, then replies and results in turn."""
        parts = [example.shown(mode) + "\n" for example in EXAMPLES]
        parts.append(f"Problem: {conversation.problem}\n")
        parts.extend(
            f"{turn.text.rstrip()}\n{result_block(turn.result)}\n" for turn in conversation.turns
        )
        return {"prompt": "".join(parts)}

    def logprobs(self, k: int) -> dict[str, Any]:
        """Give the completions' form: a number."""
        return {"logprobs": k} if k else {}


DIALECTS: dict[DialectName, Dialect] = {"fewshot": FewShot(), "fenced": Fenced()}
"""Every dialect by name."""
