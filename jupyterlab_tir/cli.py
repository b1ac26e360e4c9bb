"""`tir …`: the command line, a thin face of `solve`.

Exit codes: 0 an answer (or the command did its work), 1 no answer, 2 bad usage, 3 no server,
130 interrupted (Ctrl-C, SIGTERM or SIGHUP).
"""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from . import __version__
from .config import ResolvedConfig, Setting, resolve, settings
from .errors import NoServerError, ServeError, StoppedError, TirError, UsageError
from .problem import Problem, read_problem_file, read_problems, read_source
from .serving.command import serve
from .terminal.plain import plain
from .terminal.signals import ended_like_ctrl_c
from .terminal.streams import (
    give_up_output,
    prepare_streams,
    system_error_in_words,
    write_json_line,
)

EXIT_NO_ANSWER = 1
EXIT_USAGE = 2
EXIT_NO_SERVER = 3
EXIT_INTERRUPTED = 130

app = typer.Typer(
    name="tir",
    help="Solve and check mathematics with your own vLLM server.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("serve")(serve)


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


def _option(setting: Setting) -> inspect.Parameter:
    """One command-line option from a setting. Values stay text: `config` reads and checks them."""
    flag = setting.name.replace("_", "-")
    is_switch = bool in get_args(setting.type)
    option = typer.Option(
        f"--{flag}/--no-{flag}" if is_switch else f"--{flag}",
        help=setting.whole_help,
        show_default=False,
        metavar=None if is_switch else "VALUE",
    )
    return inspect.Parameter(
        setting.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[bool | None if is_switch else str | None, option],
    )


def _with_settings(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command one option for every setting; it receives them as `options`."""
    signature = inspect.signature(function, eval_str=True)
    own = [p for p in signature.parameters.values() if p.name != "options"]
    added = [_option(setting) for setting in settings()]

    def command(**values: Any) -> None:  # noqa: ANN401 - options of any type
        named = {parameter.name: values.pop(parameter.name) for parameter in added}
        function(**values, options=named)

    command.__name__ = function.__name__
    command.__doc__ = function.__doc__
    command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own] + added
    )
    command.__annotations__ = {p.name: p.annotation for p in [*own, *added]}
    return command


@app.command("solve")
@_with_settings
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
    from .terminal.render import final_view  # noqa: PLC0415 - the same
    from .terminal.watching import watch  # noqa: PLC0415 - the same

    console = text_console()
    if of > 1 and not as_json:
        console.rule(one_line(problem.text, 60), align="left")
    handle = start(problem, resolved=resolved)
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


@app.command("config")
@_with_settings
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
@_with_settings
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
    run: Annotated[str, typer.Argument(help="The run's id, or its beginning.")],
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


def main() -> None:
    """Run the command line."""
    prepare_streams()
    with _plain_errors():
        try:
            app()
        finally:
            # What cannot be written must be said here, not by Python at exit.
            sys.stdout.flush()
