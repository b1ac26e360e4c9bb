"""Running attacks: a folder, an environment with a planted key, an identity, an engine.

    python -m tests.sandbox.attacks.launch --level full+ns --as user 37 38

prints what the attacks numbered 37 and 38 came to (all without numbers).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from .attack import LEVELS, Identity
from .planted import secret
from .world import API_KEY_VARIABLE, PREFIX_VARIABLE

USER_ID: Final = 54321
_LONGEST_S: Final = 1_800.0
_PROJECT: Final = Path(__file__).resolve().parents[3]
_HERE: Final = Path(__file__).parent


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """Who runs the engine, and what the machine is made to lack."""

    identity: Identity = "root"
    forbid_namespaces: bool = False
    forbid_landlock: bool = False


def run_attacks(
    level: str, machine: Machine, numbers: Sequence[int] = ()
) -> Iterator[dict[str, Any]]:
    """Yield what the engine says: about the level first, then about each attack.

    Parameters
    ----------
    level
        What is asked of `ChildKernels`.
    machine
        Where the engine runs.
    numbers
        Attacks to run; all without one.
    """
    with _planted() as (folder, environment):
        command = [sys.executable, "-m", f"{__package__}.engine", str(folder), level]
        command += map(str, numbers)
        command = [*_become(machine, folder), "--", *command]
        with subprocess.Popen(
            command, cwd=_PROJECT, env=environment, stdout=subprocess.PIPE, start_new_session=True
        ) as engine:
            assert engine.stdout is not None
            # An engine that an attack brought to a standstill must not bring us to one.
            limit = threading.Timer(_LONGEST_S, engine.kill)
            limit.start()
            try:
                for line in engine.stdout:
                    yield json.loads(line)
                engine.wait()
            finally:
                limit.cancel()
                engine.kill()
        if engine.returncode != 0:
            yield {"failed": engine.returncode}


def _become(machine: Machine, folder: Path) -> list[str]:
    command = [sys.executable, "-I", "-S", str(_HERE / "identity.py")]
    if os.getuid() == 0:
        # What an attack mounts must never be removed by path, nor what it sets be the machine's.
        command.append("--private")
    if machine.identity == "user" and os.getuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, USER_ID, USER_ID)
        command += ["--user", str(USER_ID)]
        for path in dict.fromkeys((sys.base_prefix, sys.prefix, str(_PROJECT))):
            command += ["--reach", path]
    command += ["--forbid-namespaces"] * machine.forbid_namespaces
    command += ["--forbid-landlock"] * machine.forbid_landlock
    return command


@contextlib.contextmanager
def _planted() -> Iterator[tuple[Path, dict[str, str]]]:
    """Make the folder and the environment of an engine; remove what is left of them."""
    folder = Path(tempfile.mkdtemp(prefix="tir-attacks-"))
    folder.chmod(0o755)
    beside = Path(sys.prefix) / f"tir-attacks-{os.getpid()}.conf"
    environment = {
        **os.environ,
        API_KEY_VARIABLE: f"sk-{secret()}",
        "HOME": str(folder / "home"),
        "PYTHONPATH": str(folder / "library"),
    }
    try:
        with contextlib.suppress(OSError):  # an installation that nobody may write to
            beside.write_text(secret(), encoding="ascii")
            environment[PREFIX_VARIABLE] = str(beside)
        yield folder, environment
    finally:
        beside.unlink(missing_ok=True)
        for _ in range(2):  # attacks leave folders that nobody may read
            for root, _, _ in os.walk(folder):
                with contextlib.suppress(OSError):
                    Path(root).chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Run attacks and print what they came to."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--level", choices=(*LEVELS, "auto", "best"), required=True)
    parser.add_argument(
        "--as",
        dest="identity",
        choices=("root", "user"),
        default="root" if os.getuid() == 0 else "user",
    )
    parser.add_argument("--forbid-namespaces", action="store_true")
    parser.add_argument("--forbid-landlock", action="store_true")
    parser.add_argument("--log", action="store_true", help="print what the cells said")
    parser.add_argument("numbers", type=int, nargs="*")
    options = parser.parse_args()
    machine = Machine(
        identity=options.identity,
        forbid_namespaces=options.forbid_namespaces,
        forbid_landlock=options.forbid_landlock,
    )
    for said in run_attacks(options.level, machine, options.numbers):
        log = said.pop("log", "")
        if "begun" in said:
            continue
        if "number" not in said:
            print(said)  # noqa: T201
            continue
        harm = "; ".join(said["harm"]) or "-"
        line = f"{said['number']:4} {said['name']:55} {said['seconds']:6.2f} s  {harm}"
        print(line, flush=True)  # noqa: T201
        if options.log:
            print("     " + log.replace("\n", "\n     "))  # noqa: T201


if __name__ == "__main__":
    main()
