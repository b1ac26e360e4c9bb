"""Every attack of the catalogue, at every level: contained where claimed, real elsewhere."""

from __future__ import annotations

import functools
import platform
import sys

import pytest

if (sys.platform, platform.machine()) != ("linux", "x86_64"):
    pytest.skip(
        f"the attacks are written for Linux on x86-64, not {sys.platform} on {platform.machine()}",
        allow_module_level=True,
    )

from .attack import EVERYWHERE, LEVELS, Attack
from .catalogue import ATTACKS
from .configurations import CONFIGURATIONS, Configuration
from .launch import Machine, run_attacks
from .table import results


@functools.cache
def _results(configuration: Configuration, *, everywhere: bool) -> tuple[str, dict[int, list[str]]]:
    """Run the attacks of one kind in one engine: it is starting that takes long."""
    return results(
        configuration, [a.number for a in ATTACKS if (a.contained == EVERYWHERE) == everywhere]
    )


def _is_slow(configuration: Configuration, attack: Attack) -> bool:
    # What the client and the limits contain, they contain at every level: once is enough.
    again = attack.contained == EVERYWHERE and configuration is not CONFIGURATIONS[0]
    return configuration.slow or again


def _cases() -> list[object]:
    return [
        pytest.param(
            configuration,
            attack,
            id=f"{configuration.name}-{attack.number} {attack.name}",
            marks=[pytest.mark.slow] * _is_slow(configuration, attack),
        )
        for configuration in CONFIGURATIONS
        for attack in ATTACKS
        if configuration.machine.identity in attack.by and configuration.level not in attack.not_at
    ]


@pytest.mark.parametrize(("configuration", "attack"), _cases())
def test_attack_is_contained_where_that_is_claimed(
    configuration: Configuration, attack: Attack
) -> None:
    level, harm = _results(configuration, everywhere=attack.contained == EVERYWHERE)
    if not harm:
        pytest.skip(level)
    assert level in LEVELS
    if level in attack.not_at:
        pytest.skip(f"would harm others at level {level}")
    if level in attack.contained:
        assert harm[attack.number] == []
    elif level == "none" and configuration.machine.identity in attack.real:
        # Else the attack proves nothing where it is contained.
        assert harm[attack.number] != []


def test_full_with_namespaces_is_refused_where_they_are() -> None:
    machine = Machine(identity=CONFIGURATIONS[-1].machine.identity, forbid_namespaces=True)
    said = list(run_attacks("full+ns", machine, [1]))
    assert [entry.keys() for entry in said] == [{"refused", "identity"}]
    assert "namespace" in said[0]["refused"]


def test_less_than_full_is_refused_by_default_where_landlock_is_missing() -> None:
    machine = Machine(
        identity=CONFIGURATIONS[-1].machine.identity, forbid_namespaces=True, forbid_landlock=True
    )
    said = list(run_attacks("auto", machine, [1]))
    assert [entry.keys() for entry in said] == [{"refused", "identity"}]
    assert "Landlock" in said[0]["refused"]
