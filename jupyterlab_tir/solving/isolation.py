"""How the code of a run would be confined, and what the machine offers beside that."""

from __future__ import annotations

import msgspec

from ..config import ResolvedConfig
from ..errors import UsageError
from ..sandbox.levels import SandboxError, choose, describe, probe
from .context import NO_CODE


class Isolation(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the isolation that a run with some settings would have.

    Attributes
    ----------
    level
        The level in force, or that it is "provided by the kernel" that was named, or that no code
        is run; empty where no run would begin.
    meaning
        What the code then has, in plain words; empty where no run would begin.
    offered
        The levels that this machine offers, found by trying forbidden things.
    lacks
        For each level that it does not offer, why not.
    chosen_by
        The setting that chose, as a person writes it: ``sandbox=auto``.
    refusal
        Why no run would begin, in one sentence; empty where one would.
    """

    level: str
    meaning: str = ""
    offered: tuple[str, ...] = ()
    lacks: dict[str, str] = {}
    chosen_by: str
    refusal: str = ""


async def find_isolation(resolved: ResolvedConfig) -> Isolation:
    """Find out how the code of a run with these settings would be confined."""
    config = resolved.config
    if config.mode == "text":
        return Isolation(level=NO_CODE, meaning="the mode is text", chosen_by="mode=text")
    if config.kernel is not None:
        from ..sandbox.named import NamedLauncher  # noqa: PLC0415 - loads jupyter_client

        launcher = NamedLauncher(config.kernel)
        chosen_by = f"kernel={config.kernel}"
        try:
            await launcher.open()
        except UsageError as error:
            return Isolation(level="", chosen_by=chosen_by, refusal=str(error))
        return Isolation(
            level=launcher.isolation,
            meaning="the model's code may do what that kernel lets it do",
            chosen_by=chosen_by,
        )
    offer = await probe()
    chosen_by = f"sandbox={config.sandbox}"
    offered: tuple[str, ...] = offer.offered
    lacks: dict[str, str] = dict(offer.lacking.items())
    try:
        level = choose(config.sandbox, offer)
    except SandboxError as error:
        return Isolation(
            level="", offered=offered, lacks=lacks, chosen_by=chosen_by, refusal=str(error)
        )
    return Isolation(
        level=level,
        meaning=f"the model's code gets {describe(level, offer.partial)}",
        offered=offered,
        lacks=lacks,
        chosen_by=chosen_by,
    )
