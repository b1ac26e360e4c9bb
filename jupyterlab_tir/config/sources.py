"""Where values come from: options, a notebook's session, the environment, the settings file."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from ..errors import UsageError
from .checks import check
from .declared import Config
from .setting import Setting, read, settings

SESSION_SOURCE = "session (%config TIR)"
_USUAL_ENVIRONMENT = {"base_url": "OPENAI_BASE_URL"}


class ResolvedConfig(msgspec.Struct, frozen=True):
    """A configuration and, for each setting, the source that its value came from."""

    config: Config
    sources: dict[str, str]


def _unknown(name: str, known: Iterable[str], where: str) -> UsageError:
    import difflib  # noqa: PLC0415 - only on a mistake

    close = difflib.get_close_matches(name, list(known), n=1)
    advice = f"did you mean {close[0]}?" if close else "`tir config` lists the settings."
    return UsageError(f"{where} {name} is not a setting: {advice}")


def _from_environment(
    environ: Mapping[str, str], known: Mapping[str, Setting]
) -> dict[str, tuple[object, str]]:
    found: dict[str, tuple[object, str]] = {}
    for name, usual in _USUAL_ENVIRONMENT.items():
        if environ.get(usual):
            found[name] = (environ[usual], usual)
    for setting in known.values():
        if environ.get(setting.environment):
            found[setting.name] = (environ[setting.environment], setting.environment)
    return found


def _from_file(path: Path) -> Mapping[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(
            f"The settings file {path} cannot be read ({error}): mend or remove it."
        ) from None


def read_setting(name: str, value: object) -> object:
    """Check one value of the setting `name` and return it as its type.

    Raises
    ------
    UsageError
        If it is out of the setting's range, or no setting has this name.
    """
    known = {setting.name: setting for setting in settings()}
    if name not in known:
        raise _unknown(name, known, "The option")
    return read(known[name], value, name)


def resolve(
    options: Mapping[str, object] | None = None,
    *,
    session: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
    file: Path | None = None,
) -> ResolvedConfig:
    """Find the value of every setting and where it came from.

    The order is: option, session (a notebook's `%config TIR`), environment (`TIR_*`, then the usual
    `OPENAI_BASE_URL`), settings file, default.

    Parameters
    ----------
    options
        Values given for this run by name; those that are None count as not given.
    session
        Values by name that hold for this notebook's kernel; those that are None are not set.
    environ
        The environment; `os.environ` if None.
    file
        The settings file (TOML); `paths.config_file()` if None. It need not exist.

    Raises
    ------
    UsageError
        If a value is out of its range or a name is no setting's; the sentence names the source.
    """
    from .. import paths  # noqa: PLC0415 - jupyter_core is needed for its folder only

    known = {setting.name: setting for setting in settings()}
    file = paths.config_file() if file is None else file
    values: dict[str, object] = {}
    sources = dict.fromkeys(known, "default")
    for name, value in _from_file(file).items():
        if name not in known:
            raise _unknown(name, known, f"{file}:")
        values[name] = read(known[name], value, f"{name} in {file}")
        sources[name] = f"file {file}"
    for name, (value, variable) in _from_environment(
        os.environ if environ is None else environ, known
    ).items():
        values[name] = read(known[name], value, variable)
        sources[name] = f"environment {variable}"
    for given, source in ((session, SESSION_SOURCE), (options, "option")):
        for name, value in (given or {}).items():
            if name not in known:
                raise _unknown(name, known, "The option")
            if value is not None:
                values[name] = read(known[name], value, name)
                sources[name] = source
    config = msgspec.convert(values, Config)
    check(config)
    return ResolvedConfig(config, sources)


def make_config(**values: object) -> Config:
    """Make a configuration from values alone: no environment, no file.

    Raises
    ------
    UsageError
        As `resolve`.

    Examples
    --------
    >>> make_config(samples=0)
    Traceback (most recent call last):
    jupyterlab_tir.errors.UsageError: samples is 0, but must be a whole number from 1 to 1,024.
    """
    return resolve(values, environ={}, file=Path(os.devnull)).config
