"""Values to text by correct rounding: equal numbers give equal text, however they were computed.

A number is rounded only when its ball leaves no choice; else more precision is asked for. Where a
digit is cut and where a decade begins are numbers without a pattern, so that no value that people
write lies on an edge.
"""

from __future__ import annotations

from .precision import NOTHING, Arithmetic, Ball, Value, magnitude

_MAX_SHIFT = 6_000
# The digits of 1/e and of the cosine's fixed point: no decimal or dyadic that people write.
_CUT = 0x5E2D58D8B3BCDF1A
_DECADE = 7390851332151606416
_DECADE_SCALE = 10**19


def rounded(arithmetic: Arithmetic, value: Value) -> str:
    """The value to the level's digits, as "re,im,exponent": (re + im*i) * 10**exponent.

    The imaginary part is rounded to the same place as the real one, so that a complex result
    that is real but for its last digits has the text of the real number.

    >>> from fractions import Fraction
    >>> from .precision import LEVELS
    >>> rounded(Arithmetic(LEVELS[0], 256), Fraction(1, 2))[:6]
    '500000'
    """
    real, imaginary, exponent = digits_of(arithmetic, value)
    return f"{real},{imaginary},{exponent}"


def digits_of(arithmetic: Arithmetic, value: Value) -> tuple[int, int, int]:
    """Integers re, im and exponent of `rounded`; zeros for zero."""
    if value == 0:
        return 0, 0, 0
    ball = arithmetic.ball(value)
    arithmetic.budget.charge(4 * arithmetic.cost)
    shift = 0
    while abs(magnitude(ball.mid)) > _MAX_SHIFT:
        ball, power = _brought_near(arithmetic, ball)
        shift += power
    ends = _ends(ball)
    place = _place(arithmetic, ends) - arithmetic.level.digits
    found = []
    for low, high, exponent in ends:
        cut = _cut(low, exponent, place)
        if cut != _cut(high, exponent, place):
            arithmetic.more()
        found.append(cut)
    return found[0], found[1] if len(found) > 1 else 0, place + shift


def _brought_near(arithmetic: Arithmetic, ball: Ball) -> tuple[Ball, int]:
    """The ball divided by a power of ten, so that it is much nearer to 1."""
    power = magnitude(ball.mid) * 30103 // 100000
    arithmetic.budget.charge(power.bit_length() * arithmetic.cost)
    divisor = arithmetic.context.mpf(10) ** power
    mid = ball.mid / divisor
    error = max(ball.error - magnitude(ball.mid), -arithmetic.bits) + magnitude(mid) + 3
    return Ball(mid, error), power


def _ends(ball: Ball) -> list[tuple[int, int, int]]:
    """For each component low, high and exponent: it is between low and high times 2**exponent."""
    ends = []
    for sign, mantissa, exponent, _ in getattr(ball.mid, "_mpc_", None) or (ball.mid._mpf_,):
        whole = -int(mantissa) if sign else int(mantissa)
        if ball.error < NOTHING // 2:
            ends.append((whole, whole, exponent))
            continue
        least = min(exponent, ball.error) if mantissa else ball.error
        middle, margin = whole << max(exponent - least, 0), 1 << (ball.error - least)
        ends.append((middle - margin, middle + margin, least))
    return ends


def _place(arithmetic: Arithmetic, ends: list[tuple[int, int, int]]) -> int:
    """The decade of the greater component."""
    far = [_decade(max(abs(low), abs(high)), exponent) for low, high, exponent in ends]
    near = [
        _decade(min(abs(low), abs(high)), exponent)
        for low, high, exponent in ends
        if low * high > 0
    ]
    if not near or max(near) != max(far):
        arithmetic.more()
    return max(far)


def _decade(whole: int, exponent: int) -> int:
    """The k for which whole * 2**exponent is from c * 10**(k - 1) to c * 10**k."""
    if not whole:
        return NOTHING
    place = (whole.bit_length() + exponent) * 30103 // 100000
    left, right = whole * _DECADE_SCALE << max(exponent, 0), _DECADE << max(-exponent, 0)
    while left * 10 ** max(-place, 0) >= right * 10 ** max(place, 0):
        place += 1
    while left * 10 ** max(1 - place, 0) < right * 10 ** max(place - 1, 0):
        place -= 1
    return place


def _cut(whole: int, exponent: int, place: int) -> int:
    """Whole * 2**exponent / 10**place, rounded."""
    numerator = abs(whole) << max(exponent, 0)
    denominator = 1 << max(-exponent, 0)
    if place >= 0:
        denominator *= 10**place
    else:
        numerator *= 10**-place
    length = ((numerator << 64) + _CUT * denominator) // (denominator << 64)
    return -length if whole < 0 else length
