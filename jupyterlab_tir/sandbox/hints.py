"""One line of help for the mistakes that models make most when they write code.

A table and a function over it; pure. A hint says what to do instead and never guesses a value.
"""

from __future__ import annotations

import re
from typing import Final

_HINTS: Final[tuple[tuple[str, str, str], ...]] = (
    (
        "AttributeError",
        r"module '(?P<module>[\w.]+)' has no attribute '(?P<name>\w+)'",
        "{module} has no {name}; use another function of {module}, or compute it in plain Python.",
    ),
    (
        "ImportError",
        r"cannot import name '(?P<name>\w+)' from '(?P<module>[\w.]+)'",
        "{module} has no {name}; use another function of {module}, or compute it in plain Python.",
    ),
    (
        "ModuleNotFoundError",
        r"No module named '(?P<name>[\w.]+)'",
        (
            "{name} is not installed and nothing can be installed here; use the standard library, "
            "numpy, scipy, sympy, mpmath or networkx."
        ),
    ),
    (
        "NameError",
        r"name '(?P<name>\w+)' is not defined",
        (
            "define or import {name} in this cell; if an earlier cell did, a restart of the kernel "
            "lost it and it must be built again."
        ),
    ),
    (
        "ValueError",
        r"Exceeds the limit \(\d+ digits\) for integer string conversion",
        (
            "the integer is too long to be written out; print it modulo something, its last digits "
            "with % 10**k, or its number of digits from a logarithm."
        ),
    ),
    (
        "StdinNotImplementedError",
        r"",
        "there is no keyboard: write the values into the code instead of calling input().",
    ),
    (
        "TypeError",
        r"cannot determine truth value of Relational",
        "a symbolic inequality is neither true nor false: substitute numbers first, or solve it.",
    ),
    (
        "TypeError",
        (
            r"cannot convert (?:symbols?|expression) to (?:int|float|complex)|"
            r"Cannot convert (?:symbols?|expression) to (?:int|float|complex)"
        ),
        "the expression still holds symbols: substitute numbers with .subs() before converting.",
    ),
    (
        "TypeError",
        r"'float' object cannot be interpreted as an integer",
        "use integer division // or int() where an integer is needed.",
    ),
    (
        "TypeError",
        r"unsupported operand type\(s\) for \^",
        "powers are written ** in Python; ^ is exclusive or.",
    ),
    (
        "OverflowError",
        r"too large|math range error|cannot convert float infinity",
        "floats end near 1.8e308: stay with integers or Fraction, or use mpmath.",
    ),
    (
        "RecursionError",
        r"",
        "too many nested calls: write it as a loop, or cache smaller cases first.",
    ),
    (
        "RuntimeError",
        r"asyncio\.run\(\) cannot be called|This event loop is already running",
        "an event loop is running already: await the coroutine at the top level of the cell.",
    ),
    (
        "SyntaxError",
        r"invalid (?:non-printable )?character",
        "write plain ASCII operators: *, -, **, quotes ' and \".",
    ),
    (
        "NotImplementedError",
        r"multiple generators|could not solve|no valid subset found|cannot solve",
        "sympy has no closed form for this: use nsolve, a numeric search, or another formulation.",
    ),
)

TIMEOUT_HINT: Final = "look for a faster method or smaller cases; longer runs are not allowed."
MEMORY_HINT: Final = "keep less at once: use generators, smaller arrays, or a formula."


def hint_for(error_name: str, error_message: str) -> str | None:
    """Return the hint for an exception, or None where the table has none.

    Examples
    --------
    >>> hint_for("ModuleNotFoundError", "No module named 'gmpy'")[:21]
    'gmpy is not installed'
    >>> hint_for("KeyError", "'x'") is None
    True
    """
    for name, pattern, hint in _HINTS:
        if name == error_name:
            found = re.search(pattern, error_message)
            if found:
                return hint.format(**found.groupdict())
    return None
