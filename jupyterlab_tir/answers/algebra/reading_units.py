r"""Units as LaTeX writes them behind a value: `\mathrm{m/s^2}`, `\frac{\text{km}}{\text{h}}`.

Finds and spells them; whether a value stands before is the tokenizer's matter.
"""

from __future__ import annotations

import re

from .words import CONNECTIVES, FUNCTIONS

_STYLE = r"\\(?:text(?:rm|sf|normal|up)?|mbox|hbox|mathrm|mathsf|operatorname\*?|rm)(?![A-Za-z])"
_SPACE = r"(?:\s|~|\\[,;:! ])*"
_POWER = r"(?:\s?\^\s?(?:\{\s?-?\d{1,2}\s?\}|-?\d))?"
_WORD = r"[A-Za-zµμΩÅ]{1,16}" + _POWER
_JOINT = r"(?:\s?(?:/|\*|·|⋅|\\cdot(?![A-Za-z])|\\times(?![A-Za-z]))\s?|(?:\s|~|\\[,;:! ])+)"
_UNIT = f"{_WORD}(?:{_JOINT}{_WORD}){{0,6}}"
_STYLED_UNIT = rf"{_SPACE}{_STYLE}\s*\{{{_SPACE}{_UNIT}{_SPACE}\}}{_POWER}{_SPACE}"
_GROUP = re.compile(rf"{_STYLE}\s*\{{{_SPACE}(?P<unit>{_UNIT}){_SPACE}\}}")
_FRACTION = re.compile(
    rf"\\[dt]?frac\s*\{{(?P<above>{_STYLED_UNIT})\}}\s*\{{(?P<below>{_STYLED_UNIT})\}}"
)
PLAIN_UNIT = re.compile(
    r"(?:[ckm]?m|[km]?g|k?N|k?J|k?W|V|A|L|mL|rad|mol|ft|mi)/"
    r"(?:s|h|hr|min|[ck]?m|m?L|K|k?g|mol|C|ft)(?:\^\{?[23]\}?)?(?=$|[\s,;.)}])"
    r"|[msghlLNJWVK](?:\^\{?[23]\}?)?(?=$|[\s,;.)}])"
)
"""What can stand behind a number and a space without being styled as a unit."""

_NAME = re.compile(r"[A-Za-zµμΩÅ]+")
_LETTERS = frozenset("msghlLNJWVAKCTFHµμΩÅ")
_DRESS = re.compile(rf"{_STYLE}|[{{}}]")
_TIMES = re.compile(r"\s*(?:\\cdot|\\times|·|⋅|\*)\s*")
_GAPS = re.compile(r"(?:\s|~|\\[,;:! ])+")


def unit_at(text: str, position: int) -> tuple[str, int] | None:
    r"""The unit that begins at a position, and where it ends; None for a single word or no unit.

    >>> unit_at(r"\mathrm{km\cdot h^{-1}}", 0)
    ('km*h^-1', 23)
    >>> unit_at(r"\frac{\text{m}}{\text{s}^2}", 0)
    ('m/s^2', 27)
    """
    fraction = _FRACTION.match(text, position)
    if fraction is not None:
        above, below = _spelled(fraction["above"]), _spelled(fraction["below"])
        return (f"{above}/{below}", fraction.end()) if above and below else None
    group = _GROUP.match(text, position)
    if group is None or not re.search(r"[/*^·⋅]|\\cdot|\\times", group["unit"]):
        return None
    unit = _spelled(group["unit"])
    return (unit, group.end()) if unit else None


def _spelled(written: str) -> str:
    """A unit without LaTeX; empty where its words are none of units."""
    bare = _GAPS.sub(" ", _TIMES.sub("*", _DRESS.sub("", written))).strip()
    for name in _NAME.findall(bare):
        if name in CONNECTIVES or name in FUNCTIONS or (len(name) == 1 and name not in _LETTERS):
            return ""
    return re.sub(r"\s*([/^])\s*", r"\1", bare)
