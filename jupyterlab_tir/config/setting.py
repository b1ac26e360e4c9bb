"""A setting as faces need it, and the reading of one value. Pure."""

from __future__ import annotations

import math
import types
import typing
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from ..errors import UsageError
from .declared import Config

ENVIRONMENT_PREFIX = "TIR_"


class Setting(msgspec.Struct, frozen=True):
    """One setting as faces need it: name, type, default, help and range in words."""

    name: str
    type: Any
    default: Any
    help: str
    allowed: str

    @property
    def environment(self) -> str:
        """Name of its environment variable."""
        return ENVIRONMENT_PREFIX + self.name.upper()

    @property
    def whole_help(self) -> str:
        """Help, default (where there is one) and range, as one paragraph."""
        default = "" if self.default in (None, "") else f" Default: {self.default}."
        return f"{self.help}{default} [{self.allowed}]"


def settings() -> tuple[Setting, ...]:
    """All settings, in the order in which they are declared.

    Examples
    --------
    >>> [s.allowed for s in settings() if s.name in ("samples", "mode")]
    ['one of tir, blocks, text', 'a whole number from 1 to 1,024']
    """
    hints = typing.get_type_hints(Config, include_extras=True)
    return tuple(
        _describe(field.name, hints[field.name], field.default)
        for field in msgspec.structs.fields(Config)
    )


def _describe(name: str, annotation: Any, default: Any) -> Setting:  # noqa: ANN401 - types of any setting
    base, meta = typing.get_args(annotation)[:2]
    return Setting(name, annotation, default, meta.description, _allowed(base, meta))


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def _allowed(base: Any, meta: Meta) -> str:  # noqa: ANN401 - types of any setting
    if typing.get_origin(base) is Literal:
        return "one of " + ", ".join(typing.get_args(base))
    # What may be left open is a union with None, and the range stands on its other arm.
    arms = [arm for arm in typing.get_args(base) if arm is not types.NoneType] or [base]
    if typing.get_origin(arms[0]) is Annotated:
        base, meta = typing.get_args(arms[0])[:2]
        return _allowed(base, meta)
    if arms[0] is bool:
        return "true or false"
    if arms[0] is str:
        return meta.title or "text"
    noun = "a whole number" if arms[0] is int else "a number"
    if meta.ge is not None and meta.le is not None:
        return f"{noun} from {_number(meta.ge)} to {_number(meta.le)}"
    return f"{noun} above {_number(meta.gt or 0)}, at most {_number(meta.le or math.inf)}"


def read(setting: Setting, value: object, label: str) -> object:
    """Check one value and return it as the setting's type.

    Parameters
    ----------
    setting
        What is set.
    value
        As it was given; text is read.
    label
        What the person wrote, for the error.

    Raises
    ------
    UsageError
        If it is out of the setting's range.
    """
    try:
        found: object = msgspec.convert(value, setting.type, strict=False)
    except msgspec.ValidationError:
        found = math.nan
    if isinstance(found, float) and not math.isfinite(found):
        if setting.name == "api_key_env":
            # What was written there may be the key itself, and must not be shown.
            raise UsageError(
                f"{label} must be the name of the environment variable that holds the API key, "
                "in capital letters, not the key."
            )
        shown = _shown(value)
        raise UsageError(f"{label} is {shown}, but must be {setting.allowed}.")
    if isinstance(found, str) and any("\ud800" <= character <= "\udfff" for character in found):
        # Bytes that are not UTF-8 reach us so; no record could hold them.
        raise UsageError(f"{label} is {found!r}, which is not valid text: write it as UTF-8.")
    return found


def _shown(value: object) -> str:
    """A value as a sentence shows it; one with thousands of digits has no decimal form."""
    try:
        return str(value) if isinstance(value, (int, float)) else repr(value)
    except ValueError:
        return "a number of thousands of digits"
