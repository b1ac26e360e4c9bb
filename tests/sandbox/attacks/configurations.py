"""Where attacks are run: levels, identities, and machines that lack something."""

from __future__ import annotations

import os
from typing import Final

import msgspec

from .launch import Machine


class Configuration(msgspec.Struct, frozen=True, kw_only=True):
    """A level asked for, on a machine.

    Attributes
    ----------
    name
        In tests' names and the table's heading.
    level
        What is asked of `ChildKernels`.
    machine
        Who runs it, and what the machine lacks.
    slow
        Whether it is left to `make test-slow`.
    """

    name: str
    level: str
    machine: Machine
    slow: bool = False


def _configurations() -> tuple[Configuration, ...]:
    user = Machine(identity="user")
    nested = "where nested namespaces are refused"
    without = "without Landlock"
    found = [
        Configuration(name="user full+ns", level="full+ns", machine=user),
        Configuration(name="user full", level="full", machine=user, slow=True),
        Configuration(name="user nofs", level="nofs", machine=user, slow=True),
        Configuration(name="user none", level="none", machine=user, slow=True),
        Configuration(
            name=f"user full {nested}",
            level="full",
            machine=Machine(identity="user", forbid_namespaces=True),
            slow=True,
        ),
    ]
    if os.getuid() != 0:
        return tuple(found)
    root = Machine(identity="root")
    return (
        *found,
        Configuration(name="root full+ns", level="full+ns", machine=root, slow=True),
        Configuration(name="root full", level="full", machine=root, slow=True),
        Configuration(name="root nofs", level="nofs", machine=root, slow=True),
        Configuration(name="root none", level="none", machine=root),
        Configuration(
            name=f"root full {nested}",
            level="full",
            machine=Machine(identity="root", forbid_namespaces=True),
        ),
        Configuration(
            name=f"root nofs {without}",
            level="partial",
            machine=Machine(identity="root", forbid_namespaces=True, forbid_landlock=True),
            slow=True,
        ),
    )


CONFIGURATIONS: Final = _configurations()
