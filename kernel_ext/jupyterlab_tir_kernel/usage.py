"""What `%%tir?`, `%%tir --help` and `%tir help` say, made from the settings. Pure."""

from __future__ import annotations

import textwrap
import typing

from jupyterlab_tir.config import Setting, settings

WIDTH = 88
INDENT = 26

HEAD = """\
Solve the problem that the cell holds: many attempts reason in text and Python, and vote.

    %%tir --samples 8 --check 2870 --out squares
    What is the sum of the squares of the integers from 1 to 20?

The cell's text and its option line are taken literally; braces, dollars and backslashes need no
care. The value of the cell is the result: `str(_)` is the answer, `_.tally` the votes. The stop
button ends the run within a second and keeps what had finished.

With --background the cell ends when the run has begun. Its value is then the run's handle:
`await run` waits for the result, `run.result` is that (None before the end), `run.stop()` ends it.

Line magics: %tir config | status | runs | show ID [--trace] | replay ID… | stop [ID] | help
             %tir continue ID [--samples +16] [--out NAME] goes on with a recorded run
Defaults for this session: %config TIR.samples = 16

Options of %%tir:
"""

OWN = (
    ("--check ANSWER", "An answer to check; the verdict is agrees, disagrees or undecided."),
    ("--out NAME", "Bind the result to this variable as well."),
    ("--background", "End the cell when the run has begun; its value is a handle of the run."),
    ("--help", "Show this."),
)


def help_text() -> str:
    """The whole help, with every option, its default and its range.

    >>> "--samples VALUE" in help_text() and "--verify/--no-verify" in help_text()
    True
    """
    rows = [*OWN, *(_row(setting) for setting in settings())]
    return HEAD + "\n".join(_entry(flag, words) for flag, words in rows) + "\n"


def _row(setting: Setting) -> tuple[str, str]:
    flag = setting.name.replace("_", "-")
    switch = bool in typing.get_args(setting.type)
    shown = f"--{flag}/--no-{flag}" if switch else f"--{flag} VALUE"
    return shown, setting.whole_help


def _entry(flag: str, words: str) -> str:
    wrapped = textwrap.wrap(words, WIDTH - INDENT, break_on_hyphens=False)
    lines = [f"  {flag}".ljust(INDENT) + wrapped[0], *(" " * INDENT + line for line in wrapped[1:])]
    return "\n".join(lines)
