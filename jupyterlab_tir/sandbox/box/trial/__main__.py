"""The processes of a trial.

For each way of confining, a child is boxed as a kernel's is, and tries what the box forbids; this
process, outside of the box, has planted what the child is to reach, and looks whether it was
reached. Prints one JSON object: for each way the words of what failed, or null.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

from .. import WORK_FOLDER, Box, confine, enter_namespaces, prepare, seal
from ..privileges import die_with_parent
from ..readable import readable_paths
from ..rlimits import mapped_bytes
from .attempts import first_failure, run_program
from .planted import Planted

_WRITE_BYTES = 1 << 20
_MEMORY_BYTES = 1 << 28

_ALL_HELD = "all held"

# namespaces, Landlock, seccomp, files
_WAYS = {
    "full+ns": (True, True, True, True),
    "full": (False, True, True, True),
    "nofs": (False, False, True, False),
    "seccomp": (False, False, True, True),
    "landlock": (False, True, False, True),
}


def main() -> None:
    """Try every way, and print what was found."""
    base = tempfile.mkdtemp(prefix="tir-trial-")
    try:
        readable = readable_paths()
        found = {
            way: _try(Path(base, way), _box(layers, readable)) for way, layers in _WAYS.items()
        }
    finally:
        shutil.rmtree(base, ignore_errors=True)
    sys.stdout.write(json.dumps(found))


def _box(layers: tuple[bool, bool, bool, bool], readable: tuple[str, ...]) -> Box:
    namespaces, landlock, seccomp, files = layers
    return Box(
        namespaces=namespaces,
        landlock=landlock,
        seccomp=seccomp,
        files=files,
        readable=readable,
        write_bytes=_WRITE_BYTES,
        memory_bytes=_MEMORY_BYTES,
        base_bytes=mapped_bytes(),
    )


def _try(folder: Path, box: Box) -> str | None:
    """Return what failed at one way of confining, in words; None where all of it held."""
    kernels = folder / "kernels"
    (kernels / "k" / WORK_FOLDER).mkdir(parents=True)
    with Planted(folder / "outside") as planted:
        ours, theirs = os.pipe()
        warm = os.fork()
        if warm == 0:
            os.close(ours)
            _be_warm(kernels, box, planted, theirs)
        os.close(theirs)
        with os.fdopen(ours, encoding="utf-8") as report:
            said = report.read()
        os.waitpid(warm, 0)
        reached = planted.reached(files=box.landlock or not box.files, calls=box.seccomp)
    if reached:
        return f"a boxed process could {reached}"
    # A process that became another program says nothing.
    return None if said == _ALL_HELD else said or "a boxed process could run a program"


def _be_warm(kernels: Path, box: Box, planted: Planted, report: int) -> NoReturn:
    """Be the process that kernels are forked from."""
    words = "the process of the trial failed"
    try:
        die_with_parent(planted.pid)
        prepare(box)
        if box.namespaces:
            enter_namespaces(str(kernels), box.readable)
        child = os.fork()
        if child == 0:
            _be_boxed(kernels / "k", box, planted, report)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        words = f"the boxed process ended with status {status}" if status else ""
    except OSError as error:
        words = error.strerror or str(error)
    finally:
        os.write(report, words.encode())
        os._exit(0)


def _be_boxed(folder: Path, box: Box, planted: Planted, report: int) -> NoReturn:
    """Be a kernel: enter the box, try to get out, and say what came of it."""
    status = 1
    try:
        confine(box, str(folder))
        seal(box)
        failure = first_failure(box, planted, 2 * _MEMORY_BYTES)
        if box.seccomp and not failure:
            os.set_inheritable(report, False)
            run_program()
        os.write(report, (failure or _ALL_HELD).encode())
        status = 0
    except OSError as error:
        os.write(report, (error.strerror or str(error)).encode())
        status = 0
    finally:
        os._exit(status)


if __name__ == "__main__":
    main()
