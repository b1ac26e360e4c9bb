"""`%config TIR.samples = 16`: defaults that hold for one kernel, generated from the settings.

It keeps values and checks them as the command line does; `config.resolve` says which source wins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from traitlets import HasTraits, TraitError, TraitType
from traitlets.config import Configurable

from jupyterlab_tir.config import Setting, read_setting, settings
from jupyterlab_tir.errors import UsageError

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


class SettingTrait(TraitType[Any, Any]):
    """One setting; None leaves it to the environment, the settings file and its default."""

    default_value = None

    def __init__(self, setting: Setting) -> None:
        super().__init__(
            allow_none=True,
            help=f"{setting.help} [{setting.allowed}] None leaves it to the other sources.",
        )
        self._setting = setting

    def validate(self, _: HasTraits | None, value: object) -> object:
        """Read a value as `config` does.

        Raises
        ------
        TraitError
            With the sentence of `config`.
        """
        try:
            return read_setting(self._setting.name, value)
        except UsageError as error:
            raise TraitError(f"TIR: {error}") from None


def session_values(shell: InteractiveShell) -> dict[str, object]:
    """The values that were set in a shell, by name."""
    found: dict[str, object] = {}
    for each in shell.configurables:
        if isinstance(each, TIR):
            found = each.trait_values(config=True)
    return {name: value for name, value in found.items() if value is not None}


def _make_class() -> type[Configurable]:
    traits = {setting.name: SettingTrait(setting).tag(config=True) for setting in settings()}
    words = "Settings of %%tir for this session; an option of a cell goes before them."
    return type("TIR", (Configurable,), {"__doc__": words, "__module__": __name__, **traits})


TIR = _make_class()
"""The class that `%config` finds by its name."""
