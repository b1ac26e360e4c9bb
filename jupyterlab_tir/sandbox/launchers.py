"""The three ways in which a child kernel's process comes to be, behind one interface.

Forked from a warm process (Linux), executed anew (elsewhere), or whatever an installed kernelspec
says.
"""

from .executed import ExecLauncher
from .forked import ForkLauncher, forked_kernel_specs, warm_settings
from .launcher import ChildSettings, Launcher
from .named import NamedLauncher

__all__ = [
    "ChildSettings",
    "ExecLauncher",
    "ForkLauncher",
    "Launcher",
    "NamedLauncher",
    "forked_kernel_specs",
    "warm_settings",
]
