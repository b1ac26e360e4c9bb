"""Ctrl-C in the first moments of a command, while its modules are being loaded."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

# Ctrl-C as the first import of a module that is named on the command line begins.
INTERRUPTED = textwrap.dedent(
    """
    import os, signal, sys

    class Interrupting:
        def find_spec(self, name, path=None, target=None):
            if name == module:
                sys.meta_path.remove(self)
                os.kill(os.getpid(), signal.SIGINT)

    module = sys.argv.pop(1)
    sys.meta_path.insert(0, Interrupting())
    from jupyterlab_tir.cli import main
    main()
    """
)


def interrupted(
    environment: dict[str, str], module: str, *arguments: str, ignored: bool = False
) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-c", INTERRUPTED, module, *arguments]
    ignoring = ["bash", "-c", 'trap "" INT; exec "$@"', "bash"]
    return subprocess.run(
        [*ignoring, *program] if ignored else program,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("command", "module"),
    [
        ("solve", "jupyterlab_tir.commands"),
        ("solve", "typer"),
        ("solve", "msgspec"),
        ("solve", "jupyterlab_tir.config"),
        ("solve", "jupyterlab_tir.serving.command"),
        ("solve", "httpx"),
        ("solve", "rich.live"),
        ("solve", "jupyterlab_tir.terminal.render"),
        ("continue", "typer"),
        ("continue", "jupyterlab_tir.solving.continuing"),
    ],
)
def test_ctrl_c_while_modules_are_loaded_is_one_line(
    environment: dict[str, str], command: str, module: str
) -> None:
    done = interrupted(environment, module, command, "anything", "--base-url", "echo")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "tir: Interrupted.\n")


def test_ctrl_c_that_was_ignored_for_us_stays_ignored(environment: dict[str, str]) -> None:
    done = interrupted(environment, "typer", "config", "--json", ignored=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def test_command_line_begins_without_loading_what_takes_time() -> None:
    words = "import sys, jupyterlab_tir.cli; print(sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", words], capture_output=True, text=True, timeout=60, check=True
    )
    loaded = {name for name in done.stdout.split("'") if name.startswith("jupyterlab_tir")}
    assert loaded == {
        "jupyterlab_tir",
        "jupyterlab_tir._version",
        "jupyterlab_tir.cli",
        "jupyterlab_tir.terminal",
        "jupyterlab_tir.terminal.signals",
    }
    assert not {"typer", "msgspec", "rich"} & set(done.stdout.split("'"))
