"""What importing the package costs over bare Python, in milliseconds.

Bare Python and each import run in turn, in processes of their own, so that a machine whose speed
drifts slows all of them alike; medians are printed.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time

ROUNDS = 15
STATEMENTS = {
    "bare": "pass",
    "package": "import jupyterlab_tir",
    "solve": "from jupyterlab_tir import solve",
    "cli": "import jupyterlab_tir.commands",
}


def _ms(statement: str) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return (time.perf_counter() - started) * 1000


def main() -> None:
    taken: dict[str, list[float]] = {name: [] for name in STATEMENTS}
    for _ in range(ROUNDS):
        for name, statement in STATEMENTS.items():
            taken[name].append(_ms(statement))
    medians = {name: statistics.median(times) for name, times in taken.items()}
    bare = medians["bare"]
    print(
        json.dumps(
            {
                "bare_ms": round(bare, 1),
                "import_package_ms": round(medians["package"] - bare, 1),
                "import_solve_ms": round(medians["solve"] - bare, 1),
                "import_cli_ms": round(medians["cli"] - bare, 1),
                "rounds": ROUNDS,
            }
        )
    )


if __name__ == "__main__":
    main()
