"""`tir serve`: start, find and stop a server from a terminal.

A thin face of `environment`, `model` and `launch`. Standard output gets the base URL and nothing
else, so that scripts can read it; everything for people goes to standard error. Its top imports
typer only, because every `tir` command imports this module.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jupyterlab_tir.errors import TirError, UsageError

if TYPE_CHECKING:
    from jupyterlab_tir.serving.launch import LaunchPlan
    from jupyterlab_tir.serving.state import ServerState

EXIT_USAGE = 2
EXIT_SERVER = 3
EXIT_INTERRUPTED = 130

REPEAT_EVERY_S = 10.0
CHANGE_EVERY_S = 2.0
MAX_SHOWN = 100


class ProgressPrinter:
    """Writes progress to standard error: each new message, at most one in two seconds."""

    def __init__(self) -> None:
        self._last = ""
        self._last_time = float("-inf")

    def __call__(self, seconds: float, message: str) -> None:
        """Tell that `message` is being done, `seconds` after its step began."""
        now = time.monotonic()
        pause = REPEAT_EVERY_S if message == self._last else CHANGE_EVERY_S
        if seconds > 0 and now - self._last_time < pause:
            return
        self._last, self._last_time = message, now
        shown = "".join(c if c.isprintable() else " " for c in message[:MAX_SHOWN])
        sys.stderr.write(f"tir serve: {seconds:4.0f} s  {shown}\n")
        sys.stderr.flush()


def serve(
    *,
    embedded: Annotated[
        bool, typer.Option("--embedded", help="The small CPU server that needs no GPU.")
    ] = False,
    model: Annotated[
        str | None,
        typer.Option("--model", help="Your own vLLM with this model (a name or a folder)."),
    ] = None,
    scripted: Annotated[
        str | None,
        typer.Option("--scripted", help="Play this script file instead of a model (or `echo`)."),
    ] = None,
    detach: Annotated[
        bool, typer.Option("--detach", help="Leave the server running and return.")
    ] = False,
    stop: Annotated[
        bool, typer.Option("--stop", help="End the server that `tir serve` started.")
    ] = False,
    port: Annotated[
        int | None,
        typer.Option("--port", min=1, max=65535, help="Default: 8765, else any free one."),
    ] = None,
    setup_only: Annotated[
        bool,
        typer.Option(
            "--setup-only", help="Build the embedded server's environment, start nothing."
        ),
    ] = False,
    wait_s: Annotated[
        float,
        typer.Option(
            "--wait-s", min=1.0, max=86400.0, help="Longest wait for the server, seconds."
        ),
    ] = 600.0,
    vllm_arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="[-- VLLM_ARGUMENTS]", help="Passed to vLLM as they are."),
    ] = None,
) -> None:
    """Start a server on 127.0.0.1, print its base URL, and keep it until Ctrl-C.

    With --detach it stays after this command. A second start finds the first and prints its URL.
    Exit codes: 0, 2 bad usage, 3 the server could not be set up, started or stopped,
    130 interrupted.
    """
    extra = tuple(vllm_arguments or ())
    try:
        _check_usage(
            chosen=(embedded, model is not None, scripted is not None),
            detach=detach,
            stop=stop,
            setup_only=setup_only,
            extra=extra,
        )
        if stop:
            asyncio.run(_stop())
        elif scripted is not None:
            _play(scripted, port)
        elif model is not None:
            from jupyterlab_tir.serving.plans import vllm_plan  # noqa: PLC0415 - see the docstring

            asyncio.run(_run(vllm_plan(model, port, extra), detach=detach, wait_s=wait_s))
        else:
            asyncio.run(
                _serve_embedded(port, extra, detach=detach, setup_only=setup_only, wait_s=wait_s)
            )
    except UsageError as error:
        sys.stderr.write(f"tir: {error}\n")
        raise typer.Exit(EXIT_USAGE) from None
    except TirError as error:
        sys.stderr.write(f"tir: {error}\n")
        raise typer.Exit(EXIT_SERVER) from None
    except KeyboardInterrupt:
        sys.stderr.write("tir: Interrupted; the server that this command started has ended.\n")
        raise typer.Exit(EXIT_INTERRUPTED) from None


def _check_usage(
    *,
    chosen: tuple[bool, bool, bool],
    detach: bool,
    stop: bool,
    setup_only: bool,
    extra: tuple[str, ...],
) -> None:
    embedded, _model, scripted = chosen
    if sum(chosen) > 1 or (sum(chosen) == 0 and not stop):
        raise UsageError("Give one of --embedded, --model NAME, --scripted FILE, or --stop.")
    if stop and (any(chosen[1:]) or detach or setup_only or extra):
        raise UsageError("--stop ends the running server and takes no other option.")
    if setup_only and not embedded:
        raise UsageError("--setup-only goes with --embedded: only that server is built here.")
    if setup_only and detach:
        raise UsageError("--setup-only starts nothing, so there is nothing to --detach.")
    if scripted and (detach or extra):
        raise UsageError("A scripted server runs in the foreground and takes no vLLM arguments.")


async def _serve_embedded(
    port: int | None, extra: tuple[str, ...], *, detach: bool, setup_only: bool, wait_s: float
) -> None:
    from jupyterlab_tir.serving.environment import build_environment  # noqa: PLC0415
    from jupyterlab_tir.serving.model import make_model  # noqa: PLC0415
    from jupyterlab_tir.serving.plans import embedded_plan  # noqa: PLC0415

    progress = ProgressPrinter()
    await build_environment(progress)
    folder = await make_model(progress)
    if setup_only:
        sys.stderr.write(f"tir serve: the embedded server is set up in {folder.parent}\n")
        return
    await _run(embedded_plan(port, extra), detach=detach, wait_s=wait_s)


async def _run(plan: LaunchPlan, *, detach: bool, wait_s: float) -> None:
    """Start or find the server, print its URL; in the foreground, stay until it or we end."""
    from jupyterlab_tir.errors import ServeError  # noqa: PLC0415
    from jupyterlab_tir.serving import log  # noqa: PLC0415
    from jupyterlab_tir.serving.launch import start_server, stop_server, wait_until_gone  # noqa: PLC0415

    started = await start_server(plan, detach=detach, wait_s=wait_s, progress=ProgressPrinter())
    state = started.state
    owned = not started.found and not detach
    try:
        _tell(state, found=started.found, owned=owned, detach=detach)
        if not owned:
            return
        await wait_until_gone(state)
    finally:
        if owned:
            await stop_server(state)
    ending = log.read_tail(Path(state.log_path))
    if not any("supervisor: the server was asked to end" in line for line in ending[-3:]):
        raise ServeError(f"The server ended: {log.last_error(ending)} (log: {state.log_path}).")


def _tell(state: ServerState, *, found: bool, owned: bool, detach: bool) -> None:
    words = "already runs" if found else "is ready"
    sys.stderr.write(f"tir serve: {state.model} {words} (log: {state.log_path})\n")
    if owned:
        sys.stderr.write("tir serve: Ctrl-C ends it\n")
    elif not state.detached and detach:
        sys.stderr.write("tir serve: it ends with the command that started it\n")
    else:
        sys.stderr.write("tir serve: end it with `tir serve --stop`\n")
    sys.stderr.flush()
    sys.stdout.write(f"{state.base_url}\n")
    sys.stdout.flush()


async def _stop() -> None:
    from jupyterlab_tir.serving.launch import stop_server  # noqa: PLC0415
    from jupyterlab_tir.serving.state import read_state  # noqa: PLC0415

    state = read_state()
    if state is None:
        sys.stderr.write("tir serve: no server that `tir serve` started is running\n")
        return
    await stop_server(state)
    sys.stderr.write(f"tir serve: ended {state.model} at {state.base_url}\n")


def _play(script: str, port: int | None) -> None:
    from jupyterlab_tir.backend.scripted import serve_forever  # noqa: PLC0415

    serve_forever(script, port or 0)


def main() -> None:
    """Run this command alone: `python -m jupyterlab_tir.serving.command --embedded`."""
    typer.run(serve)


if __name__ == "__main__":
    main()
