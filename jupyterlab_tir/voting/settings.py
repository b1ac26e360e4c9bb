"""Those of a run's settings that its tally depends on."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from .policies import MAX_BLOCKS, USUAL_POLICY, Policy, PolicyName, policy_named


class CountingSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What counts a run's votes; read from its settings with `counting_settings`.

    Defaults are those of records that do not name a setting.
    """

    samples: Annotated[int, Meta(ge=1)]
    w_code: Annotated[float, Meta(ge=1)]
    policy: PolicyName = USUAL_POLICY
    max_blocks: Annotated[int, Meta(ge=0)] = MAX_BLOCKS
    mode: str = "tir"
    verify: bool = True

    def policy_of_run(self) -> Policy:
        """Return the policy; where no code is run or replayed, none can verify what is to come."""
        return policy_named(
            self.policy,
            w_code=self.w_code,
            max_blocks=self.max_blocks,
            verifiable=self.verify and self.mode != "text",
        )


class StoppingSettings(msgspec.Struct, frozen=True):
    """What a run's stop rules depend on; defaults are those of records that do not name a setting.

    Read from its settings with `msgspec.convert`.
    """

    stop: str = "share"
    tau: float = 0.75
    min_answers: int = 4
    top_logprobs: int = 5

    @property
    def measurable(self) -> bool:
        """Whether votes to come may have an entropy."""
        return self.top_logprobs > 0


def counting_settings(settings: object) -> CountingSettings:
    """Read them from a `Config`, or from the settings of a record.

    Parameters
    ----------
    settings
        An object or a mapping with more fields than these.

    Raises
    ------
    msgspec.ValidationError
        If they are not such as a run has.

    Examples
    --------
    >>> counting_settings({"samples": 8, "w_code": 2.0, "policy": "majority"}).policy_of_run().name
    'majority'
    """
    return msgspec.convert(settings, CountingSettings, from_attributes=True)
