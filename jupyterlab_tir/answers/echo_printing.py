"""What code printed last, followed without running it. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple

from .echo_values import COMPUTED_TEXT

_SAYS_NUMBER = re.compile(r"(?:[=:≈→]|->|\b(?:is|are|be|equals?)\b)\s*[-+$(\[{\\]*(?:boxed\{)?\d")
_MAX_LINE = 1_000


class Shown(NamedTuple):
    """The last line that is not blank, with `COMPUTED_TEXT` for what in it was computed.

    Parameters
    ----------
    line
        The line; empty if nothing was shown.
    is_open
        Whether what is printed next stands in the same line.
    """

    line: str = ""
    is_open: bool = False

    def then(self, text: str) -> Shown:
        r"""Print a text behind it.

        >>> Shown("7", is_open=True).then(" apples\n"), Shown("7").then("\n")
        (Shown(line='7 apples', is_open=False), Shown(line='7', is_open=False))
        """
        *ended, last = ((self.line if self.is_open else "") + text).split("\n")
        if _can_be_seen(last):
            return Shown(last[-_MAX_LINE:], is_open=True)
        for line in reversed(ended):
            if _can_be_seen(line):
                return Shown(line[-_MAX_LINE:])
        return self._replace(is_open=False) if ended else self

    @property
    def is_written(self) -> bool | None:
        r"""Whether it ends in what was only written down; None where nothing was shown.

        >>> Shown("42").is_written, Shown("for \0 it is 42").is_written, Shown("\0").is_written
        (True, True, False)
        """
        if not self.line:
            return None
        _, computed, behind = self.line.rpartition(COMPUTED_TEXT)
        return not computed or _SAYS_NUMBER.search(behind) is not None


def either(paths: list[Shown], before: Shown) -> Shown:
    """Return what was shown last where one of these paths was taken: computed if one of them is."""
    shown = [path for path in paths if path.line and path is not before]
    if not shown:
        return before
    return next((path for path in shown if not path.is_written), shown[0])


def _can_be_seen(line: str) -> bool:
    return bool(line.strip())
