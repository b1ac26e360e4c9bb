"""What every fault can do, and the means that they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from jupyterlab_tir.backend.scripted.steps import Send, Step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jupyterlab_tir.backend.scripted.logprobs import TokenLogprobs

Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Milliseconds = Annotated[float, Meta(ge=0)]
HeaderName = Annotated[str, Meta(pattern=r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")]
HeaderValue = Annotated[str, Meta(pattern=r"^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$")]


class FaultBase(msgspec.Struct, frozen=True, tag_field="kind", forbid_unknown_fields=True):
    """A fault that changes nothing; the kinds override what they break."""

    def steps(self, steps: Iterator[Step]) -> Iterator[Step]:
        """The reply as it is sent, from the reply as it should be."""
        return steps

    def logprobs(self, position: int, entry: TokenLogprobs) -> TokenLogprobs:
        """The log-probabilities at a position of the reply (0 is the first token)."""
        del position
        return entry

    def claimed_tokens(self) -> int | None:
        """Tokens that the usage claims for a reply without content; None leaves it as it is."""
        return None


def up_to(steps: Iterator[Step], after_tokens: int) -> Iterator[Step]:
    """Steps up to the one that carries token number `after_tokens`, the head in any case.

    A reply that is one JSON body has all its tokens in one step: a part of it is sent.
    """
    sent = 0
    for step in steps:
        if isinstance(step, Send):
            if sent >= after_tokens:
                return
            if step.part == "body":
                yield truncated(step)
                return
            sent += step.tokens
        yield step


def without(steps: Iterator[Step], *parts: str) -> Iterator[Step]:
    """All steps but those that carry the parts named."""
    return (step for step in steps if not (isinstance(step, Send) and step.part in parts))


def truncated(step: Send) -> Send:
    """The step with its JSON broken off; an event still ends with its blank line."""
    text = step.data.decode()
    kept = text.rstrip("\n")
    kept = kept[: max(len(kept) * 2 // 3, 1)]
    end = text[len(text.rstrip("\n")) :]
    return msgspec.structs.replace(step, data=(kept + end).encode())
