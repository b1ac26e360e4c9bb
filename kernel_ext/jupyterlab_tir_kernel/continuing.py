"""`%tir continue ID`: a recorded run goes on, shown, stopped and bound as a cell's run is.

A line that is a cell of its own is awaited, as a `%%tir` cell is; anywhere else it blocks.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from jupyterlab_tir.errors import TirError, UsageError

from .cell import current_shell, follow, in_kernel
from .driving import Steps, drive_awaiting, drive_blocking
from .faults import in_one_line
from .options import parse_settings, split_line, take_out
from .session import session_values

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from jupyterlab_tir import RunResult

USAGE = "%tir continue ID [--samples +16] [--out NAME] [--SETTING VALUE]…"


async def continue_awaited(line: str) -> RunResult:
    """Continue a run without blocking the kernel; what the rewritten line awaits.

    Parameters
    ----------
    line
        What is written behind `%tir continue`.

    Raises
    ------
    TirError
        If it cannot go on as asked; shown as one line.
    TirStopped
        If it was interrupted.
    """
    try:
        return await drive_awaiting(_steps(split_line(line), current_shell()))
    except TirError as error:
        raise in_one_line(error) from None


def continue_blocking(words: list[str]) -> RunResult:
    """Continue a run and wait for it: where nothing can be awaited.

    Raises
    ------
    TirError, TirStopped
        As `continue_awaited`.
    """
    shell = current_shell()
    return drive_blocking(_steps(words, shell), takes_sigint=in_kernel(shell))


def _steps(words: list[str], shell: InteractiveShell) -> Steps[RunResult]:
    run, options, out = read_words(words)
    from jupyterlab_tir.solving.continuing import Continuation  # noqa: PLC0415 - loads the engine

    # Held while a server is loading: whoever else would go on with it is told so at once.
    with Continuation(run, options, session=session_values(shell)) as continuation:
        return (yield from follow(continuation.start, continuation.resolved, shell, out=out))


def read_words(words: list[str]) -> tuple[str, dict[str, object], str | None]:
    """Read which run goes on, with which settings, and the variable that its result is bound to.

    Raises
    ------
    UsageError
        If no run is named, or several are, or an option cannot be used as given.

    Examples
    --------
    >>> read_words(["2026", "--samples", "+16", "--out", "found"])
    ('2026', {'samples': '+16'}, 'found')
    """
    names = list(itertools.takewhile(lambda word: not word.startswith("-"), words))
    options = parse_settings(words[len(names) :], USAGE, ("out",))
    if len(names) != 1 or options.pop("help", False):
        raise UsageError(
            "%tir continue needs one run's id, or its beginning, and then its options: "
            f"`%tir runs` lists the runs. Usage: {USAGE}"
        )
    out = take_out(options)
    return names[0], options, out
