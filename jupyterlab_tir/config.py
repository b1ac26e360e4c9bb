"""Every setting, once: its default, its range, its help, and where its value came from.

`Config` is the one typed place. The command line, the environment, the settings file and the
notebook magics all derive their names, checks and help from it, so that no two of them can
disagree. Nothing here touches the network, and no secret is ever a setting: an API key is named
by its environment variable.
"""

from __future__ import annotations

import math
import os
import tomllib
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from .errors import UsageError

Mode = Literal["tir", "blocks", "text"]
DialectChoice = Literal["auto", "fewshot", "fenced"]
StopRule = Literal["share", "none"]


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a run.

    Field names are the names everywhere: `--max-turns`, `TIR_MAX_TURNS`, `max_turns = 4` in the
    settings file, `solve(problem, max_turns=4)`.

    Examples
    --------
    >>> Config().samples
    8
    >>> make_config(samples=0)
    Traceback (most recent call last):
    jupyterlab_tir.errors.UsageError: samples is 0, but must be a whole number from 1 to 1,024.
    """

    base_url: Annotated[
        str | None,
        Meta(
            description="Address of the server's OpenAI-compatible API, for example "
            "http://127.0.0.1:8000/v1; or scripted:FILE, or echo. "
            "Default: the running embedded server."
        ),
    ] = None
    model: Annotated[
        str | None, Meta(description="Model to ask. Default: the first that the server lists.")
    ] = None
    api_key_env: Annotated[
        str,
        Meta(
            description="Name of the environment variable that holds the server's API key, in "
            "capital letters.",
            # Capitals only, because keys such as hf_… look like names otherwise.
            pattern=r"^[A-Z_][A-Z0-9_]*\Z",
        ),
    ] = "OPENAI_API_KEY"
    mode: Annotated[
        Mode,
        Meta(
            description="tir: text and code in turns; blocks: one reply, then its Python blocks "
            "are run in order; text: no code."
        ),
    ] = "tir"
    dialect: Annotated[
        DialectChoice,
        Meta(
            description="How the model is asked for code: fewshot (worked examples, for base and "
            "tiny models), fenced (chat with ```python blocks), or auto (by a probe)."
        ),
    ] = "auto"
    samples: Annotated[int, Meta(ge=1, le=1024, description="Attempts to plan.")] = 8
    parallel: Annotated[
        int,
        Meta(
            ge=1,
            le=64,
            description="Most attempts at once. A run starts with four and adds one for each that "
            "finishes.",
        ),
    ] = 16
    kernels: Annotated[int, Meta(ge=1, le=8, description="Most child kernels at once.")] = 8
    temperature: Annotated[
        Annotated[float, Meta(ge=0, le=2)] | None,
        Meta(description="Default: 0.7, and 1.0 for reasoning models."),
    ] = None
    top_p: Annotated[float, Meta(gt=0, le=1, description="Nucleus sampling.")] = 1.0
    min_p: Annotated[
        float,
        Meta(ge=0, le=1, description="Least probability relative to the most likely token."),
    ] = 0.0
    max_tokens_turn: Annotated[
        Annotated[int, Meta(ge=16, le=1_000_000)] | None,
        Meta(
            description="Most tokens of one turn. Default: 512 with worked examples, 8,192 in chat."
        ),
    ] = None
    max_tokens: Annotated[
        int, Meta(ge=16, le=1_000_000, description="Most tokens of one attempt.")
    ] = 32768
    max_turns: Annotated[int, Meta(ge=1, le=64, description="Most turns of one attempt.")] = 8
    seed: Annotated[
        Annotated[int, Meta(ge=0, le=2**53 - 1)] | None,
        Meta(description="Seed of the run. Default: drawn, and recorded."),
    ] = None
    timeout: Annotated[
        float, Meta(ge=0.1, le=30, description="Seconds that one code cell may run.")
    ] = 10.0
    deadline: Annotated[
        float, Meta(ge=1, le=86_400, description="Seconds that the whole run may take.")
    ] = 600.0
    stall: Annotated[
        float,
        Meta(ge=1, le=3600, description="Seconds without a token after which a stream is lost."),
    ] = 120.0
    retries: Annotated[
        int, Meta(ge=0, le=10, description="Times that a lost turn of an attempt is asked again.")
    ] = 2
    verify: Annotated[
        bool,
        Meta(
            description="Replay an attempt's code in a fresh kernel before its answer counts "
            "as code-verified."
        ),
    ] = True
    w_code: Annotated[float, Meta(ge=1, le=10, description="Weight of a code-verified answer.")] = (
        2.0
    )
    top_logprobs: Annotated[
        int,
        Meta(
            ge=0, le=20, description="Log-probabilities a token, for the entropy; 0 asks for none."
        ),
    ] = 5
    stop: Annotated[
        StopRule,
        Meta(
            description="share: stop when the leader's share of the finished attempts is above "
            "tau; none: only when the leader cannot be caught."
        ),
    ] = "share"
    tau: Annotated[float, Meta(ge=0.5, le=1, description="Share of the share rule.")] = 0.75
    min_answers: Annotated[
        int, Meta(ge=1, le=1024, description="Answers that the share rule waits for.")
    ] = 4


ENVIRONMENT_PREFIX = "TIR_"
SESSION_SOURCE = "session (%config TIR)"
_USUAL_ENVIRONMENT = {"base_url": "OPENAI_BASE_URL"}


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


class ResolvedConfig(msgspec.Struct, frozen=True):
    """A configuration and, for each setting, the source that its value came from."""

    config: Config
    sources: dict[str, str]


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
        return "a variable's name" if meta.pattern else "text"
    noun = "a whole number" if arms[0] is int else "a number"
    if meta.ge is not None and meta.le is not None:
        return f"{noun} from {_number(meta.ge)} to {_number(meta.le)}"
    return f"{noun} above {_number(meta.gt or 0)}, at most {_number(meta.le or math.inf)}"


def _read(setting: Setting, value: object, label: str) -> object:
    """Check one value; `label` is what the person wrote, for the error."""
    try:
        read: object = msgspec.convert(value, setting.type, strict=False)
    except msgspec.ValidationError:
        read = math.nan
    if isinstance(read, float) and not math.isfinite(read):
        if setting.name == "api_key_env":
            # What was written there may be the key itself, and must not be shown.
            raise UsageError(
                f"{label} must be the name of the environment variable that holds the API key, "
                "in capital letters, not the key."
            )
        shown = value if isinstance(value, (int, float)) else repr(value)
        raise UsageError(f"{label} is {shown}, but must be {setting.allowed}.")
    if isinstance(read, str) and any("\ud800" <= character <= "\udfff" for character in read):
        # Bytes that are not UTF-8 reach us so; no record could hold them.
        raise UsageError(f"{label} is {read!r}, which is not valid text: write it as UTF-8.")
    return read


def _unknown(name: str, known: typing.Iterable[str], where: str) -> UsageError:
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
    return _read(known[name], value, name)


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
    from . import paths  # noqa: PLC0415 - jupyter_core is needed for its folder only

    known = {setting.name: setting for setting in settings()}
    file = paths.config_file() if file is None else file
    values: dict[str, object] = {}
    sources = dict.fromkeys(known, "default")
    for name, value in _from_file(file).items():
        if name not in known:
            raise _unknown(name, known, f"{file}:")
        values[name] = _read(known[name], value, f"{name} in {file}")
        sources[name] = f"file {file}"
    for name, (value, variable) in _from_environment(
        os.environ if environ is None else environ, known
    ).items():
        values[name] = _read(known[name], value, variable)
        sources[name] = f"environment {variable}"
    for given, source in ((session, SESSION_SOURCE), (options, "option")):
        for name, value in (given or {}).items():
            if name not in known:
                raise _unknown(name, known, "The option")
            if value is not None:
                values[name] = _read(known[name], value, name)
                sources[name] = source
    config = msgspec.convert(values, Config)
    check(config)
    return ResolvedConfig(config, sources)


def make_config(**values: object) -> Config:
    """Make a configuration from values alone: no environment, no file."""
    return resolve(values, environ={}, file=Path(os.devnull)).config


def check(config: Config) -> None:
    """Refuse combinations of settings that cannot work together.

    Raises
    ------
    UsageError
        With the reason and what to change.
    """
    if config.samples > 1 and config.temperature == 0:
        raise UsageError(
            f"At temperature 0 all {config.samples} samples would be the same: "
            "raise the temperature or ask for one sample."
        )
    if config.base_url is not None:
        check_base_url(config.base_url)


def check_base_url(base_url: str) -> None:
    """Refuse an address that names no server."""
    if base_url == "echo" or base_url.startswith("scripted:"):
        return
    # Before all else, since the other sentence repeats what was written.
    if "@" in (base_url if not _is_address(base_url) else base_url.split("/")[2]):
        raise UsageError(
            "The base URL holds a user name or password, which would be recorded: name the "
            "environment variable of an API key with api_key_env instead."
        )
    if "?" in base_url or "#" in base_url:
        # Not shown, since keys are put there; it could not work, as paths are put behind it.
        raise UsageError(
            "The base URL holds a question mark or a number sign: end it with its path, and name "
            "the environment variable of an API key with api_key_env."
        )
    if not _is_address(base_url):
        raise UsageError(
            f"The base URL {base_url!r} is not an address: write it with its scheme, "
            "for example http://127.0.0.1:8000/v1."
        )


def _is_address(base_url: str) -> bool:
    from urllib.parse import urlsplit  # noqa: PLC0415 - only where an address is given

    try:
        parts = urlsplit(base_url)
        # Reading the port checks it.
        named = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    spaced = any(character.isspace() or not character.isprintable() for character in base_url)
    return named and not spaced and base_url.startswith(("http://", "https://"))
