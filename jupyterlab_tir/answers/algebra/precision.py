"""Numbers that know how far they can be trusted: exact ones, and balls around a binary number.

A value is a `Fraction`, an `Exact` (a Gaussian rational times a power of pi) or a `Ball` (a binary
number and a bound on its error). `Arithmetic` computes with them at one precision and says when
that precision is too low (`MorePrecisionError`), so that nothing is ever read from digits that may
be wrong. Two more things it watches:

- zero: only at the highest precision of a level is a sum that cannot be told from zero taken to be
  zero; below, it is computed again with more digits;
- absorption: a term so small beside the result that the digits that we compare do not show it.
  Such a value is compared by more digits (the next `Level`), or not at all.

Contexts of mpmath are not safe in threads; the worker that runs this has one.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, NoReturn

import mpmath
from mpmath.libmp import from_rational
from msgspec import Struct

from ..bigint import MAX_BITS

NOTHING = -(1 << 250)
"""Magnitude of zero, and the error of what is exact: below every magnitude that we reach."""

MAX_MAGNITUDE = 1 << 200
"""Numbers beyond 2**MAX_MAGNITUDE are not computed."""

_MAX_PI_POWER = 100
_RECOGNISED_DIGITS = 40


class EvaluationError(ValueError):
    """A tree has no number as its value, or none that we compute."""


class UndefinedError(EvaluationError):
    """Mathematics gives no value: 1/0, log 0, tan(pi/2), 0^0."""


class NotRealError(UndefinedError):
    """A value would be complex where only real ones count."""


class UnknownError(EvaluationError):
    """The tree holds something that is no number: a word, a set, infinity, a free variable."""


class TooBigError(EvaluationError):
    """More digits, terms or work than we spend."""


class MorePrecisionError(Exception):
    """A precision too low to decide; never leaves `programs.climbed`."""


class Level(Struct, frozen=True):
    """How many digits values are compared by, and what is spent to get them.

    Attributes
    ----------
    digits
        Decimal digits that are compared.
    bits
        The same in bits: a term smaller than the result by more than that is absorbed.
    ladder
        Working precisions in bits, tried one after the other.
    zero_bits
        At the last of them, a sum smaller than its terms by so many bits is zero.
    """

    digits: int
    bits: int
    ladder: tuple[int, ...]
    zero_bits: int


LEVELS = (Level(50, 167, (256, 640, 1536), 1130), Level(350, 1163, (1536, 2816), 2400))
"""The two levels: the second is for values with an absorbed term."""


class Budget:
    """Work that may still be done, in units of one or two microseconds."""

    def __init__(self, units: int = 500_000) -> None:
        self.left = units

    def charge(self, units: int) -> None:
        """Take some of it; raises `TooBigError` when none is left."""
        self.left -= units
        if self.left < 0:
            raise TooBigError("the answer takes more work to compute than we spend on one")


class Exact(Struct, frozen=True):
    """The number (re + im*i) * pi**power."""

    re: Fraction
    im: Fraction
    power: int


class Ball(Struct, frozen=True):
    """A real or complex binary number that is off by at most 2**error."""

    mid: Any
    error: int


Value = Fraction | Exact | Ball


@lru_cache(maxsize=16)
def _context(bits: int) -> Any:  # noqa: ANN401 - mpmath has no types
    context = mpmath.mp.clone()
    context.prec = bits
    return context


def magnitude(mid: Any) -> int:  # noqa: ANN401 - mpf or mpc
    """The least m, or one more, with abs(mid) < 2**m; `NOTHING` for zero."""
    if hasattr(mid, "_mpf_"):
        _, mantissa, exponent, length = mid._mpf_
        return int(exponent + length) if mantissa else NOTHING
    real, imaginary = mid._mpc_
    parts = [exponent + length for _, mantissa, exponent, length in (real, imaginary) if mantissa]
    return int(max(parts)) + 1 if parts else NOTHING


def size(value: Fraction) -> int:
    """Bits of numerator and denominator together."""
    return value.numerator.bit_length() + value.denominator.bit_length()


def exact(re: Fraction, im: Fraction, power: int) -> Fraction | Exact:
    """(re + im*i) * pi**power as simply as it can be kept.

    >>> exact(Fraction(2), Fraction(0), 0)
    Fraction(2, 1)
    """
    if not im and (power == 0 or not re):
        return re
    return Exact(re, im, power)


def parts(value: Fraction | Exact) -> tuple[Fraction, Fraction, int]:
    """Real and imaginary coefficient and the power of pi."""
    return (value.re, value.im, value.power) if isinstance(value, Exact) else (value, Fraction(), 0)


def recognised(ball: Ball, digits: int = _RECOGNISED_DIGITS) -> Fraction | None:
    """The rational of at most so many digits (both halves together) inside a real ball."""
    sign, mantissa, exponent, _ = ball.mid._mpf_
    if abs(exponent) > MAX_BITS:
        return None
    numerator, denominator = int(mantissa) << max(exponent, 0), 1 << max(-exponent, 0)
    value = Fraction(numerator, denominator)
    margin = Fraction(2) ** max(ball.error + 1, -MAX_BITS)
    limit = 10**digits
    # Convergents of the continued fraction p/q; a rational that fits so well is one of them.
    before, now = (0, 1), (1, 0)
    while denominator:
        quotient, rest = divmod(numerator, denominator)
        before, now = now, (quotient * now[0] + before[0], quotient * now[1] + before[1])
        if max(now[0], 1) * now[1] > limit:
            return None
        if abs(value - Fraction(*now)) <= margin:
            return Fraction(-now[0] if sign else now[0], now[1])
        numerator, denominator = denominator, rest
    return None


class Arithmetic:
    """Arithmetic at one precision.

    Parameters
    ----------
    level
        Whose thresholds count.
    bits
        Working precision, one of the level's ladder.
    complex_allowed
        Whether a root, power or logarithm of reals may be complex.
    budget
        What the work is charged to.

    Attributes
    ----------
    absorbed
        Whether a term is too small for the level's digits to show it.
    absorbed_exactly
        The same of an exact number that has not been rounded yet.
    took_high_power
        Whether an irrational number was raised to a power that makes long rationals of roots.
    """

    def __init__(
        self, level: Level, bits: int, *, complex_allowed: bool = True, budget: Budget | None = None
    ) -> None:
        self.level = level
        self.bits = bits
        self.complex_allowed = complex_allowed
        self.budget = budget or Budget()
        self.context = _context(bits)
        self.top = bits == level.ladder[-1]
        self.absorbed = False
        self.absorbed_exactly = False
        self.took_high_power = False
        self.cost = 2 + bits // 256

    def more(self) -> NoReturn:
        """Give up at this precision."""
        if self.top:
            raise TooBigError("the value needs more digits than we compute")
        raise MorePrecisionError

    def ball(self, value: Value) -> Ball:
        """Any value as a ball."""
        if isinstance(value, Ball):
            return value
        re, im, power = parts(value)
        real = self._binary(re)
        if im:
            imaginary = self._binary(im)
            real = Ball(
                self.context.mpc(real.mid, imaginary.mid), max(real.error, imaginary.error) + 1
            )
        if power:
            mid = real.mid * self.context.pi**power
            # pi is off by half a unit in the last place, its power by |power| times that.
            error = max(real.error, magnitude(real.mid) - self.bits) - magnitude(real.mid)
            return Ball(mid, magnitude(mid) + error + abs(power).bit_length() + 2)
        return real

    def _binary(self, value: Fraction) -> Ball:
        raw = from_rational(value.numerator, value.denominator, self.bits, "n")
        mid = self.context.make_mpf(raw)
        denominator = value.denominator
        is_kept = denominator & (denominator - 1) == 0 and value.numerator.bit_length() <= self.bits
        return Ball(mid, NOTHING if is_kept else magnitude(mid) - self.bits)

    def limited(self, value: Value) -> Value:
        """The value, as a ball where keeping it exact would take too long."""
        if isinstance(value, Fraction):
            return value if size(value) <= MAX_BITS else self.ball(value)
        if isinstance(value, Exact):
            fits = size(value.re) + size(value.im) <= MAX_BITS and abs(value.power) <= _MAX_PI_POWER
            return value if fits else self.ball(value)
        if abs(magnitude(value.mid)) > MAX_MAGNITUDE and value.mid:
            raise TooBigError("the number has too many digits even to say how many")
        return value

    def decided(self, mid: Any, error: int, scale: int) -> Value:  # noqa: ANN401 - mpf or mpc
        """A ball that does not hold zero, or zero itself.

        Parameters
        ----------
        mid, error
            The ball that was found.
        scale
            Magnitude of the terms that it is the sum of.
        """
        if magnitude(mid) - 3 > error:
            return self.limited(Ball(mid, error))
        if self.top and max(error, magnitude(mid)) <= scale - self.level.zero_bits:
            return Fraction(0)
        return self.more()

    def settled(self, value: Value) -> Value:
        """At the highest precision, a ball's rational if it holds a simple one."""
        if not isinstance(value, Ball):
            return value
        if not self.top:
            raise MorePrecisionError
        value = self.real(value)
        if isinstance(value, Ball) and hasattr(value.mid, "_mpf_"):
            close = value.error <= magnitude(value.mid) - self.level.zero_bits
            found = recognised(value) if close else None
            return value if found is None else found
        return value

    def real(self, value: Value) -> Value:
        """A complex value whose imaginary part cannot be told from zero, as a real one."""
        if not isinstance(value, Ball) or hasattr(value.mid, "_mpf_"):
            return value
        if magnitude(value.mid.imag) - 2 > value.error:
            return value
        if not self.top or value.error > magnitude(value.mid) - self.level.zero_bits:
            self.more()
        return Ball(value.mid.real, value.error)

    def add(self, terms: Sequence[Value]) -> Value:
        """The sum; exact terms are summed first, so that they cancel exactly."""
        groups: dict[int, list[tuple[Fraction, Fraction]]] = {}
        balls: list[Ball] = []
        for term in terms:
            if isinstance(term, Ball):
                balls.append(term)
            else:
                re, im, power = parts(term)
                groups.setdefault(power, []).append((re, im))
        exacts = []
        for power, pairs in groups.items():
            re = self._exact_sum([pair[0] for pair in pairs])
            im = self._exact_sum([pair[1] for pair in pairs if pair[1]])
            if re or im:
                exacts.append(exact(re, im, power))
        if not balls and len(exacts) < 2:  # noqa: PLR2004 - one sort of exact numbers
            total: Value = self.limited(exacts[0] if exacts else Fraction(0))
        else:
            total = self._sum([*balls, *(self.ball(value) for value in exacts)])
        self._note_absorbed(terms, total)
        return total

    def _exact_sum(self, terms: list[Fraction]) -> Fraction:
        # By halves: denominators grow late, so that long sums stay cheap.
        while len(terms) > 1:
            self.budget.charge(sum(2 + (size(term) >> 6) for term in terms))
            paired = [one + two for one, two in zip(terms[::2], terms[1::2], strict=False)]
            terms = paired + terms[len(paired) * 2 :]
        return terms[0] if terms else Fraction(0)

    def _sum(self, balls: Sequence[Ball]) -> Value:
        if len(balls) == 1:
            return balls[0]
        self.budget.charge(self.cost * len(balls))
        mid = balls[0].mid
        for ball in balls[1:]:
            mid = mid + ball.mid
        largest = max(magnitude(ball.mid) for ball in balls)
        error = max(*(ball.error for ball in balls), largest - self.bits)
        return self.decided(mid, error + len(balls).bit_length() + 2, largest)

    def _note_absorbed(self, terms: Sequence[Value], total: Value) -> None:
        whole = self.magnitude(total)
        if whole == NOTHING:
            return
        least = whole - self.level.bits
        if any(NOTHING < self.magnitude(term) < least for term in terms):
            if isinstance(total, Ball):
                self.absorbed = True
            else:
                # It is still there, to the last digit, and counts only if the whole is not exact.
                self.absorbed_exactly = True

    def magnitude(self, value: Value) -> int:
        """Magnitude of a value, right to two bits."""
        if isinstance(value, Fraction):
            if not value:
                return NOTHING
            return value.numerator.bit_length() - value.denominator.bit_length() + 1
        return magnitude(self.ball(value).mid)

    def negative(self, value: Value) -> Value:
        """The value with its sign changed."""
        if isinstance(value, Ball):
            return Ball(-value.mid, value.error)
        re, im, power = parts(value)
        return exact(-re, -im, power)

    def multiply(self, left: Value, right: Value) -> Value:
        """The product."""
        if isinstance(left, Fraction) and isinstance(right, Fraction):
            self.budget.charge(1 + ((size(left) + size(right)) >> 7))
            return self.limited(left * right)
        if not isinstance(left, Ball) and not isinstance(right, Ball):
            a, b, power = parts(left)
            c, d, other = parts(right)
            return self.limited(exact(a * c - b * d, a * d + b * c, power + other))
        if left == 0 or right == 0:
            return Fraction(0)
        one, two = self.ball(left), self.ball(right)
        self.budget.charge(self.cost)
        mid = one.mid * two.mid
        error = max(
            one.error + magnitude(two.mid),
            two.error + magnitude(one.mid),
            magnitude(mid) - self.bits,
        )
        return self.decided(mid, error + 3, magnitude(one.mid) + magnitude(two.mid))

    def divide(self, left: Value, right: Value) -> Value:
        """The quotient."""
        if right == 0:
            raise UndefinedError("division by zero")
        if isinstance(left, Fraction) and isinstance(right, Fraction):
            self.budget.charge(1 + ((size(left) + size(right)) >> 7))
            return self.limited(left / right)
        if not isinstance(right, Ball):
            c, d, power = parts(right)
            norm = c * c + d * d
            self.budget.charge(1 + (size(norm) >> 7))
            return self.multiply(left, exact(c / norm, -d / norm, -power))
        if left == 0:
            return Fraction(0)
        one = self.ball(left)
        self.budget.charge(2 * self.cost)
        mid = one.mid / right.mid
        low = magnitude(right.mid) - 2
        error = max(one.error - low, magnitude(mid) + right.error - low, magnitude(mid) - self.bits)
        return self.decided(mid, error + 3, magnitude(one.mid) - low)
