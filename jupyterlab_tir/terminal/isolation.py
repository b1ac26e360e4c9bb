"""The isolation of the model's code in words, as every face tells it. Pure."""

from __future__ import annotations

from ..sandbox.levels import LEVELS
from ..solving import Isolation


def isolation_rows(found: Isolation) -> list[tuple[str, str]]:
    """The isolation of a run, and what would be better, as pairs of a name and words."""
    if found.refusal:
        return [("isolation", f"refused: {found.refusal}")]
    rows = [("isolation", f"{found.level}: {found.meaning}")]
    names: list[str] = list(LEVELS)
    if found.level not in names:
        return rows
    better = names[: names.index(found.level)]
    unused = [level for level in better if level in found.offered]
    if unused:
        rows.append(("offered too", f"{', '.join(unused)} (chosen: {found.chosen_by})"))
    rows += [
        ("not offered", f"{level}: {found.lacks[level]}")
        for level in better
        if level in found.lacks
    ]
    return rows
