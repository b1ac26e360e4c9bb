"""Every setting, once: its default, its range, its help, and where its value came from.

`Config` is the one typed place. The command line, the environment, the settings file and the
notebook magics all derive their names, checks and help from it, so that no two of them can
disagree. Nothing here touches the network, and no secret is ever a setting: an API key is named
by its environment variable.
"""

from .checks import check, check_base_url
from .declared import AnswerKind, Config, DialectChoice, Mode, PolicyChoice, SandboxChoice
from .setting import Setting, settings
from .sources import SESSION_SOURCE, ResolvedConfig, make_config, read_setting, resolve

__all__ = [
    "SESSION_SOURCE",
    "AnswerKind",
    "Config",
    "DialectChoice",
    "Mode",
    "PolicyChoice",
    "ResolvedConfig",
    "SandboxChoice",
    "Setting",
    "check",
    "check_base_url",
    "make_config",
    "read_setting",
    "resolve",
    "settings",
]
