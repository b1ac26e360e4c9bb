"""The table of attacks by level: `python -m tests.sandbox.attacks.table > build/attacks.md`.

Runs every attack at every level that this machine offers, as the one who runs it and, where that is
root, as another user, and where nested namespaces are refused. `.` is contained, `ESC` is not.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from .catalogue import ATTACKS
from .configurations import CONFIGURATIONS, Configuration
from .launch import run_attacks


def results(
    configuration: Configuration, numbers: Sequence[int] = ()
) -> tuple[str, dict[int, list[str]]]:
    """Run attacks once; all without numbers.

    Returns
    -------
    level, harm
        The level that was in force (or, without any harm, why there is none), and what each attack
        did, by its number.

    Raises
    ------
    RuntimeError
        Where the engine did not come to its end, and no attack was under way.
    """
    level, harm = "", {}
    left = list(numbers) or [attack.number for attack in ATTACKS]
    while left:
        begun = None
        for said in run_attacks(configuration.level, configuration.machine, left):
            if "begun" in said:
                begun = said["begun"]
            elif "number" in said:
                harm[said["number"]] = said["harm"]
            elif "failed" not in said:
                level = said.get("isolation") or said["refused"]
            elif begun is None or begun in harm:
                raise RuntimeError(f"the engine under attack ended with code {said['failed']}")
            else:  # it was the attack; the others need another engine
                harm[begun] = [f"the engine ended with code {said['failed']}"]
                break
        else:
            break
        left = [number for number in left if number not in harm and number > begun]
    return level, harm


def table(columns: Sequence[tuple[str, dict[int, list[str]]]]) -> str:
    """Return the table in Markdown; a column is its heading and the harm by number."""
    lines = [
        "| # | attack | " + " | ".join(heading for heading, _ in columns) + " |",
        "|" + "-|" * (2 + len(columns)),
    ]
    for attack in ATTACKS:
        cells = [_cell(harm.get(attack.number)) for _, harm in columns]
        lines.append(f"| {attack.number} | {attack.name} | " + " | ".join(cells) + " |")
    sums = [str(sum(bool(h) for h in harm.values())) for _, harm in columns]
    lines.append("| | **escapes** | " + " | ".join(sums) + " |")
    return "\n".join(lines) + "\n"


def _cell(harm: Any) -> str:
    if harm is None:
        return ""
    return "**ESC**" if harm else "."


def main() -> None:
    """Print the table."""
    columns = []
    for configuration in CONFIGURATIONS:
        level, harm = results(configuration)
        sys.stderr.write(f"{configuration.name}: {level}\n")
        if harm:
            columns.append((configuration.name, harm))
    sys.stdout.write(table(columns))


if __name__ == "__main__":
    main()
