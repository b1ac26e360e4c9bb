r"""Reading the option line of `%%tir` and `%tir`. Pure.

The line is taken literally: braces, dollars and backslashes stand for themselves, and quotes only
group words. Options are those of `tir solve`, plus `--check`, `--out`, `--background` and `--help`.

>>> read = parse_cell_options(r'--samples 4 --check "\frac{1}{2}" --no-verify --background')
>>> read.settings, read.check, read.background
({'samples': '4', 'verify': False}, '\\frac{1}{2}', True)
"""

from __future__ import annotations

import difflib
import keyword
import shlex
import typing

import msgspec

from jupyterlab_tir.config import Setting, settings
from jupyterlab_tir.errors import UsageError

USAGE = "%%tir [--samples N] [--check ANSWER] [--out NAME] [--OPTION VALUE]…"
MORE = "`%%tir?` lists all."


class CellOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What an option line asks for; values of settings are still text, for `config` to check."""

    settings: dict[str, object] = {}
    check: str | None = None
    out: str | None = None
    background: bool = False
    help: bool = False


def split_line(line: str) -> list[str]:
    r"""Split a line into words; quotes group, everything else stands for itself.

    >>> split_line(r"--check '\pi {x} $y' -5")
    ['--check', '\\pi {x} $y', '-5']
    """
    lexer = shlex.shlex(line, posix=True, punctuation_chars=False)
    lexer.whitespace_split = True
    lexer.commenters = ""
    lexer.escape = ""
    try:
        return list(lexer)
    except ValueError:
        raise UsageError(
            f"The option line {line.strip()!r} has a quote without its partner: put a value that "
            "holds one quote between two of the other kind."
        ) from None


def parse_cell_options(line: str) -> CellOptions:
    """Read the option line of a `%%tir` cell.

    Raises
    ------
    UsageError
        If an option does not exist or has no value; one line of usage, with the nearest name.
    """
    words = split_line(line)
    values = _read_flags(words, USAGE, MORE, ("check", "out"), cell=True)
    wants_help = bool(values.pop("help", False))
    background = bool(values.pop("background", False))
    check, out = values.pop("check", None), take_out(values)
    return CellOptions(
        settings=values,
        check=None if check is None else str(check),
        out=out,
        background=background,
        help=wants_help,
    )


def parse_settings(words: list[str], usage: str, extra: tuple[str, ...] = ()) -> dict[str, object]:
    """Read words that may only be settings, as `%tir config --samples 4` has them.

    Parameters
    ----------
    extra
        Names of options with a value that this command has besides.
    """
    return _read_flags(words, usage, "`%tir help` lists all.", extra, cell=False)


def take_out(values: dict[str, object]) -> str | None:
    """Take the variable that a result is bound to out of what was read.

    Raises
    ------
    UsageError
        If no variable can have that name.
    """
    out = values.pop("out", None)
    if out is None:
        return None
    _require_name(str(out))
    return str(out)


def _require_name(name: str) -> None:
    if not name.isidentifier() or keyword.iskeyword(name):
        raise UsageError(f"--out {name} is not a variable's name: write one such as --out result.")


def _is_switch(setting: Setting) -> bool:
    return bool in typing.get_args(setting.type)


def _flags(extra: tuple[str, ...], *, cell: bool) -> dict[str, tuple[str, bool | None]]:
    """Each flag, the name it sets, and the value of a switch (None where a value follows)."""
    flags: dict[str, tuple[str, bool | None]] = {"--help": ("help", True), "-h": ("help", True)}
    if cell:
        flags["--background"] = ("background", True)
    for name in extra:
        flags[f"--{name}"] = (name, None)
    for setting in settings():
        flag = setting.name.replace("_", "-")
        switch = _is_switch(setting)
        flags[f"--{flag}"] = (setting.name, True if switch else None)
        if switch:
            flags[f"--no-{flag}"] = (setting.name, False)
    return flags


def _read_flags(
    words: list[str], usage: str, more: str, extra: tuple[str, ...], *, cell: bool
) -> dict[str, object]:
    flags = _flags(extra, cell=cell)
    found: dict[str, object] = {}
    left = iter(words)
    for word in left:
        flag, joined, value = word.partition("=")
        if flag not in flags:
            raise _unknown(flag, flags, usage, more, cell=cell)
        name, switched = flags[flag]
        if switched is not None and joined:
            raise UsageError(f"{flag} takes no value: write {flag} alone.")
        if switched is not None:
            found[name] = switched
            continue
        given = value if joined else next(left, None)
        if given is None or (not joined and given in flags):
            raise UsageError(f"{flag} needs a value: write it behind, as in {flag} VALUE.")
        found[name] = given
    return found


def _unknown(
    flag: str, flags: dict[str, tuple[str, bool | None]], usage: str, more: str, *, cell: bool
) -> UsageError:
    if not flag.startswith("-"):
        advice = "write the problem in the lines below." if cell else "settings begin with --."
        return UsageError(f"{flag!r} is not an option: {advice} Usage: {usage}; {more}")
    if flag in ("-f", "--file") and cell:
        return UsageError(
            f"{flag} is for the terminal: here the cell is the problem. Usage: {usage}; {more}"
        )
    close = difflib.get_close_matches(flag.replace("_", "-"), list(flags), n=1)
    advice = f"did you mean {close[0]}? " if close else ""
    return UsageError(f"{flag} is not an option: {advice}Usage: {usage}; {more}")
