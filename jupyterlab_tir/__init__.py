"""Solve and check mathematics with many attempts that reason in text and Python, and vote.

>>> from jupyterlab_tir import solve
>>> result = solve("What is 2 + 2?", base_url="echo", samples=1, mode="text")
>>> result.answer is None  # an echo concludes nothing
True

Heavy modules load at first use: importing this package costs a few milliseconds.
"""

from __future__ import annotations

import importlib

from ._version import __version__

# `typing` is most of what importing this package would cost.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from .config import Config
    from .errors import TirError
    from .predicting import Predictor
    from .problem import Problem
    from .record import Record, Revote, read_record, revote
    from .solving import (
        RunHandle,
        RunResult,
        asolve,
        continue_run,
        solve,
        start,
        start_continuing,
    )
    from .time_bank import TimeBank

__all__ = [
    "Config",
    "Predictor",
    "Problem",
    "Record",
    "Revote",
    "RunHandle",
    "RunResult",
    "TimeBank",
    "TirError",
    "__version__",
    "asolve",
    "continue_run",
    "read_record",
    "revote",
    "solve",
    "start",
    "start_continuing",
]

_HOMES = {
    "Config": "config",
    "Predictor": "predicting",
    "Problem": "problem",
    "Record": "record",
    "Revote": "record",
    "RunHandle": "solving",
    "RunResult": "solving",
    "TimeBank": "time_bank",
    "TirError": "errors",
    "asolve": "solving",
    "continue_run": "solving",
    "read_record": "record",
    "revote": "record",
    "solve": "solving",
    "start": "solving",
    "start_continuing": "solving",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Add `%%tir` and `%tir` to a shell: `%load_ext jupyterlab_tir`."""
    from jupyterlab_tir_kernel import load_ipython_extension as load  # noqa: PLC0415 - shells only

    load(shell)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Take them away again: `%unload_ext jupyterlab_tir`."""
    from jupyterlab_tir_kernel import unload_ipython_extension as unload  # noqa: PLC0415 - as above

    unload(shell)
