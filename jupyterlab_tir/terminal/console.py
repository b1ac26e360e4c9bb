"""The console that everything for people is printed on."""

from __future__ import annotations

from rich.console import Console


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Say that the reader has gone; rich would end the process as if we had failed."""
        raise BrokenPipeError


def text_console() -> Console:
    """Make a console that takes every text as it is: no markup, no emoji names, no colouring."""
    return _Console(highlight=False, markup=False, emoji=False)
