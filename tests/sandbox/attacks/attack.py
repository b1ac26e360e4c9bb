"""What an attack is, as data: the cells, and where they must come to nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, Literal

import msgspec

if TYPE_CHECKING:
    from .outcome import Outcome

Identity = Literal["root", "user"]

LEVELS: Final = ("none", "partial", "nofs", "full", "full+ns")
EVERYWHERE: Final = LEVELS
"""Contained by the boundary of the process, its limits, and the client."""
BOXED: Final = ("nofs", "full", "full+ns")
"""Contained by what the operating system refuses."""
NAMESPACES: Final = ("full+ns",)
"""Contained only where the rest of the machine does not exist for the kernel."""
NOWHERE: Final = ()

Check = Callable[["Outcome"], list[str]]


class Attack(msgspec.Struct, frozen=True, kw_only=True):
    """Hostile code, and what it must not achieve.

    Attributes
    ----------
    number, name
        Of its row; the first 86 are those of the table measured before.
    cells
        Run one after the other in one fresh kernel.
    contained
        Levels at which nothing may come of it.
    real
        Who can do the harm at level none, so that its absence elsewhere means something.
    why
        Where nobody or not everybody can: the reason. Where it is contained nowhere: that reason.
    checks
        Look at the outcome beyond what is looked at after every attack; each returns the harm.
    afterwards
        Looks when all else was looked at, for it may do harm of its own.
    timeout_s
        Of each cell.
    not_at
        Levels at which it is not run, because success would harm others than this test.
    by
        Who runs it.
    engine_growth_bytes
        Memory that the engine may take meanwhile.
    """

    number: int
    name: str
    cells: tuple[str, ...]
    contained: tuple[str, ...] = BOXED
    real: tuple[Identity, ...] = ("root", "user")
    why: str = ""
    checks: tuple[Check, ...] = ()
    afterwards: Callable[[Outcome], Awaitable[list[str]]] | None = None
    timeout_s: float = 20.0
    not_at: tuple[str, ...] = ()
    by: tuple[Identity, ...] = ("root", "user")
    engine_growth_bytes: int = 250 * 1024**2

    def __post_init__(self) -> None:
        if len(self.real) < len(self.by) and not self.why:
            raise ValueError(f"attack {self.number} does not say why it is not real for everybody")
        if not self.contained and not self.why:
            raise ValueError(f"attack {self.number} does not say why it is contained nowhere")


def attack(number: int, name: str, *cells: str, **fields: object) -> Attack:
    """Return an attack; `cells` are positional because they are long."""
    return Attack(number=number, name=name, cells=cells, **fields)  # type: ignore[arg-type]
