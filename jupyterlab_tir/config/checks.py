"""Combinations of settings, and addresses, that cannot work. Pure."""

from __future__ import annotations

from ..errors import UsageError
from .declared import Config
from .ranges import parse_range
from .stop_rules import parse_stop


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
    if config.policy == "blocks" and config.mode == "text":
        raise UsageError(
            "The policy blocks counts code blocks, and in the mode text there are none: choose "
            "another policy, or the mode tir or blocks."
        )
    if config.kernel is not None:
        _check_named_kernel(config)
    if config.base_url is not None:
        check_base_url(config.base_url)
    _check_expected_answer(config)
    parse_stop(config.stop, tau=config.tau, min_answers=config.min_answers)


def _check_expected_answer(config: Config) -> None:
    """Refuse bounds that no answer keeps."""
    for name, bound in ("range", config.range), ("mod", config.mod):
        if bound is not None and config.answer in ("choice", "text"):
            raise UsageError(
                f"Answers of the kind {config.answer} are no numbers, which {name} is about: "
                f"leave one of answer and {name} out."
            )
    if config.range is None:
        return
    low, high = parse_range(config.range)
    if low is None or high is None:
        return
    if config.mod is not None and (high < 0 or low > config.mod - 1):
        raise UsageError(
            f"No remainder of {config.mod} lies in the range {config.range}: leave one of range "
            "and mod out."
        )


def _check_named_kernel(config: Config) -> None:
    """Refuse what only our own kernels do: a promise that the named one would not keep."""
    if config.sandbox not in ("auto", "best", "none"):
        raise UsageError(
            f"The kernel {config.kernel} is confined by whatever starts it, not by the sandbox "
            f"level {config.sandbox}: leave one of kernel and sandbox out."
        )
    if config.preload.strip():
        raise UsageError(
            f"The kernel {config.kernel} is started by its own command, which preloads nothing: "
            "leave one of kernel and preload out."
        )
    if not config.write:
        raise UsageError(
            f"The kernel {config.kernel} may write wherever its own environment lets it: leave out "
            "kernel, or the setting that forbids writing."
        )


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
