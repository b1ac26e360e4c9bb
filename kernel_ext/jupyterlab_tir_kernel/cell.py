"""A `%%tir` cell from its text to its result: the same steps, awaited or blocking.

1. Read the option line and the problem; what is wrong there ends here, in one sentence.
2. Wait for a server that is still loading.
3. Start the run on the engine's thread and show it, ten times a second at most.
4. Replace the live view by the static bundle and bind the result.

An interrupt stops the run, waits a bounded time for what it has, shows and binds that, and ends as
`TirStopped`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

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
from .options import parse_cell_options
from .session import session_values
from .usage import help_text

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from jupyterlab_tir import RunResult

    from .display import CellOutput


class CellRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What a cell asks for; `out` is the variable that the result is bound to as well."""

    problem: Problem
    resolved: ResolvedConfig
    out: str | None


async def run_awaited(line: str, text: str) -> RunResult | None:
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
        return await drive_awaiting(_steps(request, _output(live=True, widget=True), shell))
    except TirError as error:
        raise in_one_line(error) from None


def run_blocking(line: str, text: str) -> RunResult | None:
    """Run a cell and wait for it: where nothing can be awaited.

    Raises
    ------
    TirError, TirStopped
        As `run_awaited`.
    """
    shell = current_shell()
    in_kernel = getattr(shell, "kernel", None) is not None
    try:
        request = read_request(line, text, session_values(shell))
        if request is None:
            _show_help()
            return None
        # What `%%capture` keeps is the end, not the way there.
        live = in_kernel and not isinstance(shell.display_pub, CapturingDisplayPublisher)
        steps = _steps(request, _output(live=live, widget=False), shell)
        return drive_blocking(steps, takes_sigint=in_kernel)
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
    )


def without_blank_ends(text: str) -> str:
    r"""Leave out empty lines before and after a text; every other character stays.

    >>> without_blank_ends("\n  x\n\n y \n \n")
    '  x\n\n y '
    """
    lines = text.split("\n")
    written = [number for number, line in enumerate(lines) if line.strip()]
    return "\n".join(lines[written[0] : written[-1] + 1]) if written else ""


def _output(*, live: bool, widget: bool) -> CellOutput:
    from .display import CellOutput  # noqa: PLC0415 - what renders a run loads with its first one

    return CellOutput(live=live, widget=widget)


def _show_help() -> None:
    from .tables import show_text  # noqa: PLC0415 - only where it is asked for

    show_text(help_text())


def _steps(request: CellRequest, output: CellOutput, shell: InteractiveShell) -> Steps[RunResult]:
    following = Following(output)
    try:
        try:
            yield from following.loading(request.resolved)
            yield from following.running(request.problem, request.resolved)
        except KeyboardInterrupt:
            yield from following.stopping()
            words, partial = following.conclude_stopped()
            _bind(partial, request, shell)
            raise TirStopped(words, partial) from None
        result = following.result()
    except TirError:
        output.withdraw("The run did not begin.")
        raise
    finally:
        following.release()
    following.show_end()
    _bind(result, request, shell)
    if result.status == "stopped":
        raise TirStopped(result.reason, result)
    shown_results.remember(result, shell)
    return result


def _bind(result: RunResult | None, request: CellRequest, shell: InteractiveShell) -> None:
    if request.out is not None and result is not None:
        shell.user_ns[request.out] = result
