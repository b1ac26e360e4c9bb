"""What a child may read: the Python installation and what it loads, and nothing of the user's.

Not the whole prefix, which may hold a `pip.conf` with a password, and not every entry of
`sys.path`, which may be a home. A package that an installer has linked from a cache elsewhere is
not readable; link modes that copy are the cure.
"""

from __future__ import annotations

import importlib.util
import os
import site
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Sequence

_SYSTEM = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/usr/share/zoneinfo",
    "/dev/null",
    "/dev/zero",
    "/dev/urandom",
    "/dev/random",
)
_INSTALLATION = ("stdlib", "platstdlib", "purelib", "platlib")


def readable_paths(extra_modules: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the paths that exist, as they are named and with their links followed.

    Parameters
    ----------
    extra_modules
        Modules whose package folders, or single files, are to be readable wherever they lie; what
        cannot be found is passed over.

    Examples
    --------
    >>> import os, sysconfig
    >>> os.path.realpath(sysconfig.get_path("stdlib")) in readable_paths()
    True
    """
    named = {*_SYSTEM, *_installation(), *_places(extra_modules)}
    existing = {path for path in named if os.path.exists(path)}  # noqa: PTH110
    return tuple(sorted(existing | {os.path.realpath(path) for path in existing}))


def _installation() -> Iterator[str]:
    for base in {sys.prefix, sys.base_prefix}:
        # Shared libraries that extension modules load lie in `lib`.
        yield os.path.join(base, "lib")  # noqa: PTH118
        folders = sysconfig.get_paths(vars={"base": base, "platbase": base})
        yield from (folders[kind] for kind in _INSTALLATION)
    # Distributions move site-packages; where they are not imported from, they are not needed.
    yield from (folder for folder in site.getsitepackages() if folder in sys.path)
    if site.ENABLE_USER_SITE:
        yield site.getusersitepackages()


def _places(modules: Iterable[str]) -> Iterator[str]:
    for name in modules:
        top = name.partition(".")[0]
        try:
            spec = importlib.util.find_spec(top)
        except ValueError:  # a module that was put together by hand
            continue
        if spec is None:
            continue
        if spec.submodule_search_locations:
            yield from map(os.path.abspath, spec.submodule_search_locations)
        elif spec.has_location and spec.origin:
            yield os.path.abspath(spec.origin)  # noqa: PTH100
