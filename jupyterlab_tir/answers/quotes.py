"""Where Python code stands inside a string, line by line, without tokenizing it again and again.

Knows nothing of fences; a closing fence asks it whether a line begins inside a string.
"""

from __future__ import annotations

import re

_OUTSIDE = re.compile(r"#|'''|\"\"\"|'|\"")
_INSIDE = {
    quote: re.compile(r"\\.|" + re.escape(quote) + ("" if len(quote) == 3 else r"|\n"), re.DOTALL)  # noqa: PLR2004 - the length of a triple quote
    for quote in ("'''", '"""', "'", '"')
}


class QuoteState:
    """String state at the end of the code read so far; linear in total.

    Attributes
    ----------
    quote
        The quote that the string now open began with, or "" outside strings. At a line's start
        it is a triple quote, or a single one after a backslash at the end of a line.
    """

    def __init__(self, quote: str = "") -> None:
        self.quote = quote

    def advance(self, line: str) -> int | None:
        """Read one line (with its line end, if it has one); return where its comment begins.

        >>> state = QuoteState()
        >>> state.advance("x = '''# no comment"), state.quote
        (None, "'''")
        """
        position = 0
        while True:
            if not self.quote:
                opening = _OUTSIDE.search(line, position)
                if opening is None:
                    return None
                if opening.group() == "#":
                    return opening.start()
                self.quote = opening.group()
                position = opening.end()
            closing = _INSIDE[self.quote].search(line, position)
            if closing is None:
                return None
            position = closing.end()
            if not closing.group().startswith("\\"):
                # A single-quoted string that meets the line's end is a mistake of the code's; it
                # must not hide the fence.
                self.quote = ""
