"""Rewrite embedded.lock from embedded.in and left_out.txt: `python relock.py`, with uv on the path.

For developers only; nothing at run time imports this. The lock keeps, of every release, only the
files that x86-64 Linux with Python 3.11 to 3.13 can use, which is a tenth of all hashes and makes
the lock short enough to be reviewed. Needs `uv` and `packaging`.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from packaging.markers import Marker
from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import parse_wheel_filename

HERE = Path(__file__).parent
PYTHONS = ((3, 11), (3, 12), (3, 13))
PLATFORMS = [f"manylinux_2_{minor}_x86_64" for minor in range(31, 4, -1)] + [
    "manylinux2014_x86_64",
    "manylinux2010_x86_64",
    "manylinux1_x86_64",
    "linux_x86_64",
]
HEADER = """\
# Written by relock.py; do not edit.
# x86-64 Linux with glibc 2.31 or newer, Python 3.11 to 3.13; without torch,
# torchvision, torchaudio and torchcodec (see left_out.txt).
"""


def usable_tags(python: tuple[int, int]) -> frozenset[Tag]:
    """Wheel tags that one supported interpreter accepts."""
    interpreter = f"cp{python[0]}{python[1]}"
    return frozenset(
        [
            *cpython_tags(python, platforms=PLATFORMS),
            *compatible_tags(python, interpreter, PLATFORMS),
        ]
    )


def environment(python: tuple[int, int]) -> dict[str, str]:
    """Marker environment of one supported interpreter."""
    return {
        "implementation_name": "cpython",
        "platform_machine": "x86_64",
        "platform_python_implementation": "CPython",
        "platform_system": "Linux",
        "sys_platform": "linux",
        "os_name": "posix",
        "python_version": f"{python[0]}.{python[1]}",
        "python_full_version": f"{python[0]}.{python[1]}.0",
    }


def file_name(entry: dict[str, Any]) -> str:
    """Name of a distribution file, which the lock format may leave to its address."""
    return str(entry.get("name") or str(entry["url"]).rsplit("/", 1)[-1])


def lock_lines(package: dict[str, Any]) -> list[str]:
    """Requirement lines of one locked package; empty if no supported interpreter wants it.

    Raises
    ------
    SystemExit
        If an interpreter that wants the package finds no wheel: users have no compilers.
    """
    marker = str(package.get("marker", ""))
    wanted = [v for v in PYTHONS if not marker or Marker(marker).evaluate(environment(v))]
    hashes: set[str] = set()
    for python in wanted:
        tags = usable_tags(python)
        usable = {
            f"    --hash=sha256:{wheel['hashes']['sha256']}"
            for wheel in package.get("wheels", [])
            if parse_wheel_filename(file_name(wheel))[3] & tags
        }
        if not usable:
            raise SystemExit(f"{package['name']} {package['version']}: no wheel for {python}.")
        hashes |= usable
    if not wanted:
        return []
    suffix = "" if len(wanted) == len(PYTHONS) else f" ; {marker}"
    return [f"{package['name']}=={package['version']}{suffix} \\", *_continued(sorted(hashes))]


def _continued(lines: list[str]) -> list[str]:
    return [f"{line} \\" for line in lines[:-1]] + lines[-1:]


def main() -> None:
    """Resolve, keep what the supported interpreters can use, write embedded.lock."""
    command = ["uv", "pip", "compile", "--universal", "--python-version", "3.11"]
    command += [
        "--only-binary",
        ":all:",
        "--override",
        "left_out.txt",
        "--format",
        "pylock.toml",
        "--quiet",
        "embedded.in",
    ]
    resolved = subprocess.run(command, cwd=HERE, check=True, capture_output=True, text=True)  # noqa: S603 - fixed words
    lines: list[str] = []
    for package in tomllib.loads(resolved.stdout)["packages"]:
        lines += lock_lines(package)
    (HERE / "embedded.lock").write_text(HEADER + "\n".join(lines) + "\n", encoding="utf-8")
    sys.stderr.write(f"{sum('==' in line for line in lines)} packages\n")


if __name__ == "__main__":
    main()
