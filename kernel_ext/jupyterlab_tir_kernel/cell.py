"""A `%%tir` cell from its text to its result: the same steps, awaited or blocking.

1. Read the option line and the problem; what is wrong there ends here, in one sentence.
2. Wait for a server that is still loading.
3. Start the run on the engine's thread, where it shows itself.
4. When it is over replace the live view by the static bundle and bind the result. In the
   background the cell ends before that, with a `BackgroundRun`.

An interrupt stops the run, waits a bounded time for what it has, shows and binds that, and ends as
`TirStopped`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import msgspec
from IPython import get_ipython
from IPython.core.displaypub import CapturingDisplayPublisher

from jupyterlab_tir.config import ResolvedConfig, resolve
from jupyterlab_tir.errors import TirError, UsageError
from jupyterlab_tir.problem import Problem

from . import shown_results
from .driving import Steps, drive_awaiting, drive_blocking
from .faults import TirStopped, in_one_line
from .following import Following
from .notebook_cell import running_cell
from .options import parse_cell_options
from .session import session_values
from .usage import help_text

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from jupyterlab_tir import RunHandle, RunResult

    from .background import BackgroundRun
    from .display import CellOutput

T = TypeVar("T")


class CellRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What a cell asks for; `out` is the variable that the result is bound to as well.

    `background` asks for a handle at once instead of the result.
    """

    problem: Problem
    resolved: ResolvedConfig
    out: str | None
    background: bool


async def run_awaited(line: str, text: str) -> RunResult | BackgroundRun | None:
    """Run a cell without blocking the kernel; what the rewritten cell awaits.

    Raises
    ------
    TirError
        If it cannot be run as written; shown as one line.
    TirStopped
        If it was interrupted.
    """
    shell = current_shell()
    try:
        request = read_request(line, text, session_values(shell))
        if request is None:
            _show_help()
            return None
        return await drive_awaiting(_steps(request, shell))
    except TirError as error:
        raise in_one_line(error) from None


def run_blocking(line: str, text: str) -> RunResult | BackgroundRun | None:
    """Run a cell and wait for it: where nothing can be awaited.

    Raises
    ------
    TirError, TirStopped
        As `run_awaited`.
    """
    shell = current_shell()
    try:
        request = read_request(line, text, session_values(shell))
        if request is None:
            _show_help()
            return None
        steps = _steps(request, shell)
        return drive_blocking(steps, takes_sigint=in_kernel(shell))
    except TirError as error:
        raise in_one_line(error) from None


def current_shell() -> InteractiveShell:
    """The shell that this code runs in.

    Raises
    ------
    RuntimeError
        If there is none: magics exist in a shell only.
    """
    shell: InteractiveShell | None = get_ipython()
    if shell is None:
        raise RuntimeError("%%tir runs in an IPython shell only; call jupyterlab_tir.solve instead")
    return shell


def read_request(line: str, text: str, session: dict[str, object]) -> CellRequest | None:
    """Read a cell; None if it asks for help.

    Raises
    ------
    UsageError
        If an option or the problem cannot be used as given.
    """
    options = parse_cell_options(line)
    if options.help:
        return None
    written = without_blank_ends(text)
    if not written:
        what = "holds only options" if line.strip() else "is empty"
        raise UsageError(f"The cell {what}: write the problem in the lines below %%tir.")
    return CellRequest(
        problem=Problem(text=written, claim=options.check),
        resolved=resolve(options.settings, session=session),
        out=options.out,
        background=options.background,
    )


def without_blank_ends(text: str) -> str:
    r"""Leave out empty lines before and after a text; every other character stays.

    >>> without_blank_ends("\n  x\n\n y \n \n")
    '  x\n\n y '
    """
    lines = text.split("\n")
    written = [number for number, line in enumerate(lines) if line.strip()]
    return "\n".join(lines[written[0] : written[-1] + 1]) if written else ""


def in_kernel(shell: InteractiveShell) -> bool:
    """Whether a shell is that of a kernel, whose front end can show what is live."""
    return getattr(shell, "kernel", None) is not None


def _output(shell: InteractiveShell) -> CellOutput:
    from .display import CellOutput  # noqa: PLC0415 - what renders a run loads with its first one

    # What `%%capture` keeps is the end, not the way there.
    captured = isinstance(shell.display_pub, CapturingDisplayPublisher)
    return CellOutput(shell, live=in_kernel(shell) and not captured)


def _following(shell: InteractiveShell) -> Following:
    """For a run that the cell that is running begins."""
    return Following(_output(shell), running_cell(shell))


def _show_help() -> None:
    from .tables import show_text  # noqa: PLC0415 - only where it is asked for

    show_text(help_text())


def _steps(request: CellRequest, shell: InteractiveShell) -> Steps[RunResult | BackgroundRun]:
    def begin() -> RunHandle:
        from jupyterlab_tir import start  # noqa: PLC0415 - loads the engine

        return start(request.problem, resolved=request.resolved)

    if request.background:
        return _leave_in_background(begin, request.resolved, shell, out=request.out)
    return follow(begin, request.resolved, shell, out=request.out)


def follow(
    begin: Callable[[], RunHandle],
    resolved: ResolvedConfig,
    shell: InteractiveShell,
    *,
    out: str | None,
) -> Steps[RunResult]:
    """Steps 2 to 4: from settings that can be used to the result.

    Parameters
    ----------
    begin
        Starts the run, or goes on with one.
    out
        The variable that the result is bound to as well.
    """
    following = _following(shell)

    def to_shown_end() -> Steps[RunResult]:
        ended = yield from following.to_end(begin, resolved)
        # First, so that no fault of its view loses a result.
        _bind(ended, out, shell)
        following.show_end()
        return ended

    steps = to_shown_end()
    result = yield from _stoppable(steps, following, lambda kept: _bind(kept, out, shell))
    if result.status == "stopped":
        raise TirStopped(result.reason, result)
    shown_results.remember(result, shell)
    return result


def _leave_in_background(
    begin: Callable[[], RunHandle],
    resolved: ResolvedConfig,
    shell: InteractiveShell,
    *,
    out: str | None,
) -> Steps[BackgroundRun]:
    """Steps 2 and 3: from settings that can be used to a run that has begun, and goes on."""
    from .background import BackgroundRun  # noqa: PLC0415 - with its first use

    following = _following(shell)
    to_beginning = following.to_beginning(begin, resolved)
    left = yield from _stoppable(to_beginning, following, lambda kept: _bind(kept, out, shell))
    run = BackgroundRun(left, shown_in=shell.execution_count)
    _bind(run, out, shell)
    return run


def _stoppable(
    steps: Steps[T], following: Following, keep: Callable[[RunResult | None], object]
) -> Steps[T]:
    """Take the steps of a run; an interrupt stops it and ends in `TirStopped`.

    Parameters
    ----------
    keep
        Is given the result of a run that was stopped, or None where it has none.
    """
    try:
        return (yield from steps)
    except KeyboardInterrupt:
        yield from following.stopping()
        words, partial = following.conclude_stopped()
        keep(partial)
        raise TirStopped(words, partial) from None
    except TirError as error:
        following.conclude_failed(error)
        raise
    finally:
        following.release()


def _bind(
    value: RunResult | BackgroundRun | None, out: str | None, shell: InteractiveShell
) -> None:
    if out is not None and value is not None:
        shell.user_ns[out] = value
