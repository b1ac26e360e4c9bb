r"""The unit or currency beside a value, in one spelling: shown in verdicts, never part of a key.

Text in, text out. Known units only: "5 ways" and "5 arrangements" are the same answer. Nothing is
converted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .plain import unwrapped

MAX_CHARS = 2_000
_TAIL_CHARS = 80

_SPELLINGS: dict[str, str] = {
    "mm": "mm millimeter millimetre",
    "cm": "cm cms centimeter centimetre",
    "dm": "dm decimeter decimetre",
    "m": "m meter metre",
    "km": "km kms kilometer kilometre",
    "nm": "nm nanometer nanometre",
    "in": "in inch inches",
    "ft": "ft foot feet",
    "yd": "yd yds yard",
    "mi": "mi mile",
    "mg": "mg milligram milligramme",
    "g": "g gram gramme",
    "kg": "kg kgs kilogram kilogramme kilo",
    "t": "t tonne",
    "lb": "lb lbs",
    "oz": "oz ounce",
    "mL": "mL ml milliliter millilitre",
    "cL": "cL cl centiliter centilitre",
    "L": "L l liter litre",
    "gal": "gal gallon",
    "ms": "ms millisecond",
    "s": "s sec secs second",
    "min": "min mins minute",
    "h": "h hr hrs hour",
    "d": "d day",
    "wk": "wk wks week",
    "mo": "mo month",
    "yr": "yr yrs year",
    "Hz": "Hz hertz",
    "kHz": "kHz kilohertz",
    "MHz": "MHz megahertz",
    "N": "N newton",
    "kN": "kN kilonewton",
    "J": "J joule",
    "kJ": "kJ kilojoule",
    "cal": "cal calorie",
    "kcal": "kcal kilocalorie",
    "W": "W watt",
    "kW": "kW kilowatt",
    "MW": "MW megawatt",
    "kWh": "kWh kilowatt-hour",
    "V": "V volt",
    "A": "A amp ampere",
    "Ω": "Ω Ω ohm",
    "Pa": "Pa pascal",
    "kPa": "kPa kilopascal",
    "mol": "mol mole",
    "K": "K kelvin",
    "eV": "eV",
    "bit": "bit",
    "B": "byte",
    "KB": "KB kilobyte",
    "MB": "MB megabyte",
    "GB": "GB gigabyte",
    "°": "° deg degree",
    "°C": "°C celsius",
    "°F": "°F fahrenheit",
    "rad": "rad rads radian",
    "%": "% percent pct",
    "$": "$ US$ dollar USD",
    "€": "€ euro EUR",
    "£": "£ GBP",
    "¥": "¥ yen JPY yuan",
    "₹": "₹ rupee INR Rs",
    "₽": "₽ ruble rouble RUB",
    "¢": "¢ cent",
    "mi/h": "mph",
    "km/h": "kph kmh kmph",
}
_UNITS = {word: unit for unit, words in _SPELLINGS.items() for word in words.split()}
_LONG_WORD = 3
"""Letters from which on a unit is a word, that is written in capitals or as a plural as well."""

_POWERS = {"square": 2, "sq": 2, "cubic": 3, "cu": 3}
_POWERS_BEHIND = {"squared": 2, "cubed": 3}
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_REWRITES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"\^\s*\{\s*(-?\d)\s*\}", r"^\1"),
        (r"\bper\s+cent\b", "%"),
        (r"\^\s*\{?\s*(?:\\circ|\\degree|°|º)\s*\}?|\\degree|\\circ|º", " ° "),
        (r"\\(?:left|right)(?![A-Za-z])|\\[,;:!>~]|\\ |~|\\q?quad(?![A-Za-z])", " "),
        (r"\\(?:cdot|times)(?![A-Za-z])|·|⋅", " * "),
        (r"\\pounds(?![A-Za-z])", " £ "),
        (r"\\euro(?![A-Za-z])", " € "),
        (r"\\([%$])", r"\1"),
        (r"[⁻⁰¹²³⁴-⁹]+", lambda match: "^" + match.group().translate(_SUPERSCRIPTS)),
        # What stands upright is marked, since there a single letter is a unit.
        (
            r"\\(?:text(?:normal|rm|it|bf)?|mbox|math(?:rm|it)|hbox|operatorname)\s*\{([^{}]*)\}",
            " ⟦ \\1 ⟧ ",
        ),
        (
            r"\\[dt]?frac\s*\{\s*⟦([^⟦⟧{}]*)⟧\s*\}\s*\{\s*⟦([^⟦⟧{}]*)⟧\s*\}",
            " ⟦ \\1 / \\2 ⟧ ",
        ),
        (r"°\s*(?:⟦\s*)?([CF])(?![A-Za-z])", r"°\1"),
    )
)
_CURRENCY = re.compile(r"[+-]?\s*(US\s?\$|[$€£¥₹₽¢]|USD|EUR|GBP|JPY|INR|Rs\.?)\s*[+-]?\s*[\d.\\]")
_TOKEN = re.compile(
    r"\s+|⟦|⟧|°[CF]?|US\$|[%$€£¥₹₽¢Ω]|[A-Za-zµ]+(?:-hours?)?\.?|\^\s*-?\d(?!\d)|[*/]|[()]"
)
_VALUE_END = re.compile(r"[\d)\]}|!]$|(?:\\pi|π|\bpi|\\infty)$")
_UPRIGHT, _UPRIGHT_END = "⟦", "⟧"
_NO_BEGINNING = (")", "^", "*", "/")
_COMMAND = re.compile(r"\\[A-Za-z]+")
_WORD = re.compile(r"[A-Za-z]{2,}")


def unit_of(text: str) -> str | None:
    r"""The unit or currency of an answer that is a value with one beside it, or None.

    Factors of a compound unit stand in alphabetical order, what is divided by comes last.

    >>> unit_of(r"5\text{ cm}^2"), unit_of("5 square centimetres"), unit_of(r"\$1{,}200")
    ('cm^2', 'cm^2', '$')
    >>> unit_of("60 miles per hour"), unit_of(r"90^\circ"), unit_of("5k"), unit_of("x + 1")
    ('mi/h', '°', None, None)
    """
    measured = value_and_unit(text)
    return None if measured is None else measured[1]


def value_and_unit(text: str) -> tuple[str, str] | None:
    r"""The value as text, and its unit; None where it has none.

    >>> value_and_unit("5 m"), value_and_unit(r"2\pi\text{ cm}"), value_and_unit("$5")
    (('5', 'm'), ('2\\pi', 'cm'), ('5', '$'))
    """
    if len(text) > MAX_CHARS:
        return None
    outside = text.strip()
    is_typeset = "\\" in text or (outside.startswith("$") and outside.endswith("$"))
    text = unwrapped(text)
    text = re.split(r"\\approx|≈", text.rpartition("=")[2])[0]
    for pattern, replacement in _REWRITES:
        text = pattern.sub(replacement, text)
    text = text.strip().rstrip(".")
    currency = _CURRENCY.match(text)
    if currency is not None:
        value = text[: currency.start(1)] + text[currency.end(1) :]
        return value.replace(" ", ""), _UNITS[currency[1].replace(" ", "").rstrip(".")]
    start, parts = _tail(text)
    if not parts:
        return None
    # "5m" is a product; so is every single letter beside a number in typeset mathematics.
    upright = not is_typeset and text[start].isspace()
    unit = _read(parts, plainly_upright=upright)
    others = {_unit(word, upright=True) for word in _WORD.findall(_COMMAND.sub(" ", text[:start]))}
    # "5 hours 3 minutes" is not so many minutes.
    return (text[:start].strip(), unit) if unit and others <= {None, unit} else None


def _tail(text: str) -> tuple[int, list[str]]:
    """What follows the value, in tokens, and where it begins: the longest end made of tokens."""
    for start in range(max(1, len(text) - _TAIL_CHARS), len(text)):
        if _VALUE_END.search(text[max(0, start - _TAIL_CHARS) : start].rstrip()) is None:
            continue
        parts = _tokens(text[start:])
        if parts and not parts[0].startswith(_NO_BEGINNING):
            return start, parts
    return len(text), []


def _tokens(text: str) -> list[str]:
    found: list[str] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            return []
        if match.group().strip():
            found.append(match.group().strip())
        position = match.end()
    return found


def _read(tokens: list[str], *, plainly_upright: bool) -> str | None:
    """The normal form of a unit's tokens, or None where one of them is no unit."""
    powers: dict[str, int] = {}
    last: str | None = None
    sign, power, upright = 1, 1, plainly_upright
    for each in tokens:
        word = each.rstrip(".")
        if each in (_UPRIGHT, _UPRIGHT_END):
            upright = plainly_upright or each == _UPRIGHT
        elif each in ("/", "per") and last is not None:
            sign = -1
        elif each in ("*", "(", ")"):
            continue
        elif each.startswith("^") and last is not None:
            powers[last] *= int(each[1:])
        elif word.lower() in _POWERS_BEHIND and last is not None:
            powers[last] *= _POWERS_BEHIND[word.lower()]
        elif word.lower() in _POWERS:
            power = _POWERS[word.lower()]
        else:
            unit = _unit(word, upright=upright)
            if unit is None:
                return None
            for part, factor in _parts(unit):
                powers[part] = powers.get(part, 0) + sign * factor * power
                last = part
            power = 1
    return _show(powers)


def _unit(word: str, *, upright: bool) -> str | None:
    if len(word) == 1 and word.isascii() and word.isalpha() and not upright:
        return None
    if word in _UNITS:
        return _UNITS[word]
    lower = word.lower()
    if len(word) < _LONG_WORD:
        return None
    return _UNITS.get(lower) or _UNITS.get(lower.removesuffix("s"))


def _parts(unit: str) -> Iterator[tuple[str, int]]:
    over, _, under = unit.partition("/")
    yield over, 1
    if under:
        yield under, -1


def _show(powers: dict[str, int]) -> str | None:
    if powers.get("°") and len(powers) > 1:
        # "degrees Celsius": the scale says it all.
        powers = {unit: power for unit, power in powers.items() if unit != "°"}
    over = [_raised(unit, power) for unit, power in sorted(powers.items()) if power > 0]
    under = [_raised(unit, -power) for unit, power in sorted(powers.items()) if power < 0]
    if not over and not under:
        return None
    return "*".join(over or ["1"]) + "".join("/" + each for each in under)


def _raised(unit: str, power: int) -> str:
    return unit if power == 1 else f"{unit}^{power}"
