r"""Lists, sets, tuples, intervals and matrices as text: taking them apart at the top level.

Works on what `plain.plain` gives; knows brackets and separators, not numbers.
"""

from __future__ import annotations

_OPENING, _CLOSING = "([{", ")]}"


def split_top(text: str, separators: str) -> list[str]:
    """Parts of the text between separators that stand outside all brackets, without outer spaces.

    >>> split_top("(1, 2), 3", ",")
    ['(1, 2)', '3']
    """
    parts: list[str] = []
    depth = start = 0
    for index, sign in enumerate(text):
        if sign in _OPENING:
            depth += 1
        elif sign in _CLOSING:
            depth -= 1
        elif depth == 0 and sign in separators:
            parts.append(text[start:index].strip())
            start = index + 1
    return [*parts, text[start:].strip()]


def bracketed(text: str) -> tuple[str, str, str] | None:
    r"""Opening bracket, inside and closing bracket, if one pair encloses the whole text.

    Brackets of an interval may differ: "(0, 1]". Printed braces `\{ \}` count as braces.

    >>> bracketed(r"\{1, 2\}"), bracketed("(1)(2)")
    (('{', '1, 2', '}'), None)
    """
    text = text.replace(r"\{", "{").replace(r"\}", "}")
    if len(text) < 2 or text[0] not in _OPENING or text[-1] not in _CLOSING:  # noqa: PLR2004 - a pair
        return None
    depth = 0
    for index, sign in enumerate(text):
        depth += (sign in _OPENING) - (sign in _CLOSING)
        if depth == 0:
            return (text[0], text[1:-1].strip(), text[-1]) if index == len(text) - 1 else None
    return None
