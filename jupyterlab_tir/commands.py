# ruff: noqa: FBT002 - typer reads options from defaults
"""The commands of `tir`: thin faces of `solve`, of records and of servers.

Exit codes: 0 an answer (or the command did its work), 1 no answer, 2 bad usage, 3 no server,
130 interrupted (Ctrl-C, SIGTERM or SIGHUP).
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import __version__
from .config import ResolvedConfig, resolve
from .config.recorded import CONTINUING_HELP, FREE, REVOTING, REVOTING_HELP
from .errors import NoServerError, ServeError, StoppedError, TirError, UsageError
from .problem import Problem, read_problem_file, read_problems, read_source
from .serving.command import serve
from .terminal.plain import plain
from .terminal.setting_options import with_settings
from .terminal.signals import INTERRUPTED, ended_like_ctrl_c, hear_ctrl_c
from .terminal.streams import (
    give_up_output,
    prepare_streams,
    system_error_in_words,
    write_json_line,
)

if TYPE_CHECKING:
    from .solving import RunHandle

EXIT_NO_ANSWER = 1
EXIT_USAGE = 2
EXIT_NO_SERVER = 3
EXIT_INTERRUPTED = INTERRUPTED

app = typer.Typer(
    name="tir",
    help="Solve and check mathematics with your own vLLM server.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.command("serve")
@functools.wraps(serve)
def _serve(*arguments: Any, **options: Any) -> None:  # noqa: ANN401 - those of `serve`
    hear_ctrl_c()
    serve(*arguments, **options)


@contextlib.contextmanager
def _plain_errors() -> Iterator[None]:
    """Turn our errors into one sentence on standard error and an exit code."""
    try:
        yield
    except StoppedError as error:
        code, words = EXIT_INTERRUPTED, str(error)
    except (NoServerError, ServeError) as error:
        code, words = EXIT_NO_SERVER, str(error)
    except TirError as error:
        code, words = EXIT_USAGE, str(error)
    except KeyboardInterrupt:
        code, words = EXIT_INTERRUPTED, "Interrupted."
    except BrokenPipeError:
        give_up_output()
        return
    except OSError as error:
        give_up_output()
        code, words = EXIT_USAGE, system_error_in_words(error)
    else:
        return
    sys.stderr.write(plain(f"tir: {words}") + "\n")
    raise SystemExit(code)


@app.command("solve")
@with_settings()
def solve_command(
    problem: Annotated[
        str | None,
        typer.Argument(
            help="The problem; - reads it from standard input. Put -- before one that begins "
            "with a dash."
        ),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file",
            "-f",
            help="Read problems from a file; a line --- divides them.",
            metavar="FILE",
        ),
    ] = None,
    check: Annotated[
        str | None, typer.Option("--check", help="An answer to check.", metavar="ANSWER")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object a problem, and nothing else.")
    ] = False,
    *,
    options: dict[str, object],
) -> None:
    """Solve a problem: sample attempts, run their code, let them vote.

    Exit codes: 0 an answer, 1 no answer or an undecided check, 2 bad usage, 3 no server,
    130 interrupted. Of several problems the highest code counts.
    """
    with _plain_errors(), ended_like_ctrl_c():
        problems = _problems(problem, file, check)
        resolved = resolve(options)
        codes = [_solve_one(each, resolved, as_json=as_json, of=len(problems)) for each in problems]
        if any(codes):
            raise typer.Exit(max(codes))


def _problems(text: str | None, file: Path | None, check: str | None) -> list[Problem]:
    if (text is None) == (file is None):
        raise UsageError("Give one problem: as text, with -f FILE, or - for standard input.")
    if file is not None and str(file) != "-":
        found = read_problem_file(file)
    elif file is not None or text == "-":
        name = "Standard input"
        found = read_problems(read_source(sys.stdin.buffer, name), name)
    else:
        found = [Problem(text=text or "")]
    if check is None:
        return found
    if len(found) != 1:
        raise UsageError(f"--check belongs to one problem, and there are {len(found)}.")
    return [Problem(text=found[0].text, claim=check)]


def _solve_one(problem: Problem, resolved: ResolvedConfig, *, as_json: bool, of: int) -> int:
    from .solving import start  # noqa: PLC0415 - heavy; `tir --help` does without
    from .terminal.console import text_console  # noqa: PLC0415 - the same
    from .terminal.plain import one_line  # noqa: PLC0415 - the same

    if of > 1 and not as_json:
        text_console().rule(one_line(problem.text, 60), align="left")
    return _conclude(start(problem, resolved=resolved), as_json=as_json)


def _conclude(handle: RunHandle, *, as_json: bool) -> int:
    """Watch a run to its end and print what it says; returns the exit code."""
    from .terminal.console import text_console  # noqa: PLC0415 - heavy
    from .terminal.render import final_view  # noqa: PLC0415 - the same
    from .terminal.watching import watch  # noqa: PLC0415 - the same

    console = text_console()
    result, state = watch(handle, console, live=console.is_terminal and not as_json)
    if as_json:
        write_json_line(result.to_json())
    else:
        console.print(final_view(state))
    if result.status == "stopped":
        raise typer.Exit(EXIT_INTERRUPTED)
    if result.status == "server-lost":
        return EXIT_NO_SERVER
    undecided = result.verdict is not None and result.verdict.verdict == "undecided"
    return EXIT_NO_ANSWER if result.answer is None or undecided else 0


@app.command("continue")
@with_settings(shown=FREE, words=CONTINUING_HELP, defaults=False)
def continue_command(
    run: Annotated[
        str, typer.Argument(help="The run's id, or its beginning, or the path of its record.")
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object, and nothing else.")
    ] = False,
    *,
    options: dict[str, object],
) -> None:
    """Continue a recorded run with more samples; what it had stands.

    All settings are those of its record; the environment and the settings file say only how the
    server is reached. What the votes depend on (model, server version, prompt, policy, sampling)
    must be as it was: the refusal names what is not. Exit codes as of `tir solve`.
    """
    with _plain_errors(), ended_like_ctrl_c():
        from .solving.continuing import begin_continuing  # noqa: PLC0415 - heavy

        if code := _conclude(begin_continuing(run, options), as_json=as_json):
            raise typer.Exit(code)


@app.command("replay")
@with_settings(only=REVOTING, words=REVOTING_HELP)
def replay_command(
    runs: Annotated[
        list[str],
        typer.Argument(metavar="RUN", help="Ids of runs, beginnings of ids, or paths of records."),
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help='Print one JSON object, {"runs": [...]}.')
    ] = False,
    *,
    options: dict[str, object],
) -> None:
    """Vote again over recorded runs, under another policy or other stop rules; no server is needed.

    What is not given is as recorded. A run that cannot be used is listed with the reason, and the
    exit code is then 2.
    """
    with _plain_errors(), ended_like_ctrl_c():
        from .terminal.replaying import NotReplayed, print_replayed, replay_all  # noqa: PLC0415 - heavy

        found = replay_all(runs, options)
        print_replayed(found, as_json=as_json)
        if any(isinstance(each, NotReplayed) for each in found):
            raise typer.Exit(EXIT_USAGE)


@app.command("config")
@with_settings()
def config_command(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    *,
    options: dict[str, object],
) -> None:
    """Show every setting, its value and where the value came from.

    The order is: option, environment (TIR_*, then OPENAI_BASE_URL), settings file, default.
    """
    with _plain_errors(), ended_like_ctrl_c():
        from .terminal.overview import print_config  # noqa: PLC0415 - heavy

        print_config(resolve(options), as_json=as_json)


@app.command("status")
@with_settings()
def status_command(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    *,
    options: dict[str, object],
) -> None:
    """Show the server that would be asked, and the isolation that the model's code would have.

    Of the server: version, model, context, dialect and why. Of the isolation: its level, what that
    means, and which better one this machine lacks and why.
    """
    with _plain_errors(), ended_like_ctrl_c():
        from .terminal.overview import print_status  # noqa: PLC0415 - heavy

        print_status(resolve(options), as_json=as_json)


@app.command("runs")
def runs_command(
    most: Annotated[int, typer.Option("--most", min=1, help="How many to list.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List recorded runs, the newest first."""
    with _plain_errors(), ended_like_ctrl_c():
        from .terminal.overview import print_runs  # noqa: PLC0415 - heavy

        print_runs(most, as_json=as_json)


@app.command("show")
def show_command(
    run: Annotated[
        str, typer.Argument(help="The run's id, or its beginning, or the path of its record.")
    ],
    trace: Annotated[bool, typer.Option("--trace", help="Show every event.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Redraw a recorded run; no server is needed."""
    with _plain_errors(), ended_like_ctrl_c():
        from .terminal.overview import print_run  # noqa: PLC0415 - heavy

        print_run(run, trace=trace, as_json=as_json)


def _version(value: bool) -> None:  # noqa: FBT001 - typer calls it so
    if value:
        typer.echo(f"tir {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def run_command_line() -> None:
    """Carry out what the command line asks for."""
    prepare_streams()
    with _plain_errors():
        try:
            app()
        finally:
            # What cannot be written must be said here, not by Python at exit.
            sys.stdout.flush()
