"""`tir …`: where the command line begins.

It loads nothing before Ctrl-C is heard; the commands are in `commands`.
"""

from __future__ import annotations

from .terminal.signals import leave_on_ctrl_c


def main() -> None:
    """Run the command line."""
    leave_on_ctrl_c()
    from .commands import run_command_line  # noqa: PLC0415 - takes a tenth of a second, and more

    run_command_line()
