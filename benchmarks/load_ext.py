"""What `%load_ext jupyterlab_tir` costs over bare IPython, in milliseconds.

A shell is made and the extension is loaded in processes of their own; bare ones run in turn, so
that a machine whose speed drifts slows both alike. `load_ext_ms` is the median time of the load
itself, `process_ms` the difference of the medians of whole processes.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time

ROUNDS = 15
SHELL = "from IPython.core.interactiveshell import InteractiveShell\ns = InteractiveShell()\n"
LOAD = (
    "import time\nbegan = time.perf_counter()\n"
    "s.run_line_magic('load_ext', 'jupyterlab_tir')\n"
    "print((time.perf_counter() - began) * 1000)\n"
)


def _run(program: str) -> tuple[float, str]:
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    return (time.perf_counter() - began) * 1000, done.stdout


def main() -> None:
    bare: list[float] = []
    loaded: list[float] = []
    loads: list[float] = []
    for _ in range(ROUNDS):
        bare.append(_run(SHELL)[0])
        took, printed = _run(SHELL + LOAD)
        loaded.append(took)
        loads.append(float(printed))
    print(
        json.dumps(
            {
                "load_ext_ms": round(statistics.median(loads), 1),
                "process_ms": round(statistics.median(loaded) - statistics.median(bare), 1),
                "rounds": ROUNDS,
            }
        )
    )


if __name__ == "__main__":
    main()
