"""Every attack, in the order of the table."""

from __future__ import annotations

from typing import Final

from . import (
    controls,
    disk,
    endings,
    evasions,
    files_read,
    files_write,
    floods,
    kernel_interfaces,
    network,
    processes,
    programs,
    protocol,
    resources,
    rights,
    secrets,
    unix_sockets,
)
from .attack import Attack

ATTACKS: Final[tuple[Attack, ...]] = tuple(
    sorted(
        (
            attack
            for room in (
                controls,
                disk,
                endings,
                evasions,
                files_read,
                files_write,
                floods,
                kernel_interfaces,
                network,
                processes,
                programs,
                protocol,
                resources,
                rights,
                secrets,
                unix_sockets,
            )
            for attack in room.ATTACKS
        ),
        key=lambda attack: attack.number,
    )
)

if len({attack.number for attack in ATTACKS}) != len(ATTACKS):
    raise ValueError("two attacks have the same number")
