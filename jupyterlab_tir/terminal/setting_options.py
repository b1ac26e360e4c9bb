"""Command-line options made from the settings; loaded by every command, so nothing heavy here."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Annotated, Any, get_args

import typer

from ..config import Setting, settings

Command = Callable[..., None]


def _option(setting: Setting, words: str, *, hidden: bool) -> inspect.Parameter:
    """One command-line option from a setting. Values stay text: `config` reads and checks them."""
    flag = setting.name.replace("_", "-")
    is_switch = bool in get_args(setting.type)
    option = typer.Option(
        f"--{flag}/--no-{flag}" if is_switch else f"--{flag}",
        help=words,
        show_default=False,
        metavar=None if is_switch else "VALUE",
        hidden=hidden,
    )
    return inspect.Parameter(
        setting.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[bool | None if is_switch else str | None, option],
    )


def with_settings(
    *,
    only: Collection[str] | None = None,
    shown: Collection[str] | None = None,
    words: Mapping[str, str] | None = None,
    defaults: bool = True,
) -> Callable[[Command], Command]:
    """Give a command an option for each setting; it receives them as `options`.

    Parameters
    ----------
    only
        Names of the settings that it has; all if None.
    shown
        Names of those that its help lists; all if None.
    words
        Help for single settings in the place of their own.
    defaults
        Whether help names a setting's default.
    """
    other = words or {}
    added = [
        _option(
            setting,
            other.get(
                setting.name,
                setting.whole_help if defaults else f"{setting.help} [{setting.allowed}]",
            ),
            hidden=shown is not None and setting.name not in shown,
        )
        for setting in settings()
        if only is None or setting.name in only
    ]

    def decorate(function: Command) -> Command:
        signature = inspect.signature(function, eval_str=True)
        own = [p for p in signature.parameters.values() if p.name != "options"]

        def command(**values: Any) -> None:  # noqa: ANN401 - options of any type
            named = {parameter.name: values.pop(parameter.name) for parameter in added}
            function(**values, options=named)

        command.__name__ = function.__name__
        command.__doc__ = function.__doc__
        command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own] + added
        )
        command.__annotations__ = {p.name: p.annotation for p in [*own, *added]}
        return command

    return decorate
