"""Assembling seccomp filters: rules for numbered system calls become one classic BPF program.

A rule is a verdict, or checks of arguments and the verdicts where all hold and where one does not.
Numbers with the same rule become ranges, and the ranges a search tree: Linux tries a new filter on
every number, and a tree makes that, and so each child's start, several times cheaper than a list.
Every piece of code ends in a verdict, so pieces can be put anywhere.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple

ALLOW = 0x7FFF_0000
KILL = 0x8000_0000
_ERRNO = 0x0005_0000

_LOAD = 0x20
_AND = 0x54
_JUMP = 0x05
_IF_EQUAL = 0x15
_IF_AT_LEAST = 0x35
_RETURN = 0x06

_OFFSET_NUMBER = 0
_OFFSET_ARCHITECTURE = 4
_OFFSET_ARGUMENTS = 16
_LAYOUT = "=HBBI"
INSTRUCTION_BYTES = 8
_LONGEST_BRANCH = 255
_ALL_BITS = 0xFFFF_FFFF

PID = 0xFFFF_FFF1
"""Stands for the process's own number in checks, until `with_pid` puts that in."""


class Instruction(NamedTuple):
    """One instruction: code, branches where true and false, operand."""

    code: int
    if_true: int
    if_false: int
    operand: int


class Check(NamedTuple):
    """What must hold for an argument: its masked low half is, or is not, one of the values.

    Linux takes the arguments that are checked this way as 32-bit numbers, or ignores the rest.
    `otherwise`, where it is given, is the verdict where this check fails.
    """

    argument: int
    values: tuple[int, ...]
    mask: int = _ALL_BITS
    wanted: bool = True
    otherwise: int | None = None


class Null(NamedTuple):
    """What must hold for an argument: all its 64 bits are zero."""

    argument: int


class Rule(NamedTuple):
    """A verdict, and the one where a check fails."""

    verdict: int
    checks: tuple[Check | Null, ...] = ()
    otherwise: int = KILL


def answer(error: int) -> int:
    """Return the verdict that answers with an error without making the call; 0 feigns success."""
    return _ERRNO | error


def assemble(
    architecture: int, rules: Mapping[int, Rule], default: Sequence[tuple[int, Rule]]
) -> bytes:
    """Return the filter.

    Parameters
    ----------
    architecture
        Calls that come in by another one end the process.
    rules
        By number of the system call.
    default
        First numbers of ranges, ascending from 0, and the rule for what `rules` leaves out there.
    """
    starts: list[tuple[int, Rule]] = []
    for first, rule in sorted(_breaks(rules, default).items()):
        if not starts or starts[-1][1] != rule:
            starts.append((first, rule))
    program = [
        Instruction(_LOAD, 0, 0, _OFFSET_ARCHITECTURE),
        Instruction(_IF_EQUAL, 1, 0, architecture),
        Instruction(_RETURN, 0, 0, KILL),
        Instruction(_LOAD, 0, 0, _OFFSET_NUMBER),
        *_tree(starts),
    ]
    return b"".join(struct.pack(_LAYOUT, *instruction) for instruction in program)


def with_pid(program: bytes, pid: int) -> bytes:
    """Return the filter with the process's own number put in."""
    number = struct.pack("=I", pid)
    patched = bytearray(program)
    for place in _pid_places(program):
        patched[place : place + len(number)] = number
    return bytes(patched)


@functools.cache
def _pid_places(program: bytes) -> tuple[int, ...]:
    placeholder = struct.pack("=I", PID)
    operands = range(INSTRUCTION_BYTES - 4, len(program), INSTRUCTION_BYTES)
    return tuple(place for place in operands if program[place : place + 4] == placeholder)


def _breaks(rules: Mapping[int, Rule], default: Sequence[tuple[int, Rule]]) -> dict[int, Rule]:
    """Return where a rule may begin: at each number, at the one after it, and at the defaults."""

    def rule_at(number: int) -> Rule:
        return rules.get(number) or [rule for first, rule in default if first <= number][-1]

    numbers = {first for first, _ in default} | rules.keys() | {number + 1 for number in rules}
    return {number: rule_at(number) for number in numbers}


def _tree(starts: Sequence[tuple[int, Rule]]) -> list[Instruction]:
    if len(starts) == 1:
        return _code(starts[0][1])
    middle = len(starts) // 2
    below, above = _tree(starts[:middle]), _tree(starts[middle:])
    boundary = starts[middle][0]
    if len(below) <= _LONGEST_BRANCH:
        return [Instruction(_IF_AT_LEAST, len(below), 0, boundary), *below, *above]
    far = [Instruction(_IF_AT_LEAST, 0, 1, boundary), Instruction(_JUMP, 0, 0, len(below))]
    return [*far, *below, *above]


def _code(rule: Rule) -> list[Instruction]:
    code: list[Instruction] = []
    for check in rule.checks:
        if isinstance(check, Null):
            for half in (0, 4):
                code += _compare(Check(check.argument, (0,)), half, rule.otherwise)
        else:
            failed = rule.otherwise if check.otherwise is None else check.otherwise
            code += _compare(check, 0, failed)
    return [*code, Instruction(_RETURN, 0, 0, rule.verdict)]


def _compare(check: Check, half: int, otherwise: int) -> list[Instruction]:
    """Return code that goes on after its end where the check holds."""
    code = [Instruction(_LOAD, 0, 0, _OFFSET_ARGUMENTS + 8 * check.argument + half)]
    if check.mask != _ALL_BITS:
        code.append(Instruction(_AND, 0, 0, check.mask))
    failed = Instruction(_RETURN, 0, 0, otherwise)
    count = len(check.values)
    # The verdict stands right after the comparisons: a hit jumps over it, or onto it.
    hits = [
        Instruction(_IF_EQUAL, count - index - (0 if check.wanted else 1), 0, value)
        for index, value in enumerate(check.values)
    ]
    if check.wanted:
        return [*code, *hits, failed]
    return [*code, *hits[:-1], hits[-1]._replace(if_false=1), failed]
