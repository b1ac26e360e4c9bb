"""Starting the process of a child kernel. The only module that knows how that is done.

A private kernelspec, which no list of the user's kernels ever shows, names the child's command;
whatever provisioner the kernelspec asks for starts it. Replacing the stock start by another means
naming another provisioner here, and nothing else changes.
"""

from __future__ import annotations

import os
import site
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager

if TYPE_CHECKING:
    from collections.abc import Mapping

    import zmq.asyncio

_KERNEL_NAME: Final = "jupyterlab-tir-child"
_WORK_FOLDER: Final = "w"
_START_LOG: Final = "start.log"

_INHERITED_VARIABLES: Final = frozenset(
    {"LANG", "LANGUAGE", "LD_LIBRARY_PATH", "PATH", "PYTHONHOME", "TZ"}
)
_INHERITED_PREFIX: Final = "LC_"
_HASH_SEEDS: Final = 2**32


class ChildSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a child is started with: bytes beyond its start, characters sent at each end."""

    memory_bytes: int
    keep_chars: int


class _PrivateKernelSpecs(KernelSpecManager):
    """Knows the child's kernelspec, and no other; it lies in no folder."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        command = [sys.executable, "-m", f"{__package__}.child", "-f", "{connection_file}"]
        return KernelSpec(
            argv=command, name=kernel_name, display_name=kernel_name, language="python"
        )


def child_environment(folder: Path, seed: int | None, parent: Mapping[str, str]) -> dict[str, str]:
    """Return the whole environment of a child.

    Parameters
    ----------
    folder
        The kernel's private folder; the child's home and temporary files lie in it.
    seed
        Fixes the hash seed; None leaves it random.
    parent
        The engine's environment, of which only a short list of harmless variables is taken over.
    """
    environment = {
        name: value
        for name, value in parent.items()
        if name in _INHERITED_VARIABLES or name.startswith(_INHERITED_PREFIX)
    }
    environment.setdefault("LANG", "C.UTF-8")
    work = str(folder / _WORK_FOLDER)
    environment |= {
        "HOME": work,
        "TMPDIR": work,
        "IPYTHONDIR": str(folder / "ipython"),
        "MPLBACKEND": "agg",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": _import_path(parent),
        # One thread per kernel: many kernels share the machine.
        "MKL_NUM_THREADS": "1",
        "NUMEXPR_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        # Each arena reserves 64 MiB of the address space that the memory limit counts.
        "MALLOC_ARENA_MAX": "2",
        "NO_COLOR": "1",
    }
    if seed is not None:
        environment["PYTHONHASHSEED"] = str(seed % _HASH_SEEDS)
    if site.ENABLE_USER_SITE:
        # Packages of the user's own site must stay importable although HOME is another.
        environment["PYTHONUSERBASE"] = site.getuserbase()
    return environment


def _import_path(parent: Mapping[str, str]) -> str:
    """Return PYTHONPATH: the parent's, and this package's folder where no site folder holds it."""
    paths = [path for path in parent.get("PYTHONPATH", "").split(os.pathsep) if path]
    root = str(Path(__file__).resolve().parents[2])
    if root not in {*site.getsitepackages(), site.getusersitepackages(), *paths}:
        paths.append(root)
    return os.pathsep.join(str(Path(path).absolute()) for path in paths)


def make_manager(folder: Path, context: zmq.asyncio.Context) -> AsyncKernelManager:
    """Return the manager of a child that is still to be started.

    Parameters
    ----------
    folder
        An empty private folder: it will hold the sockets, the connection file until the child has
        read it, and the folder that the child works in.
    context
        The context that every socket to every child shares.
    """
    return AsyncKernelManager(
        kernel_name=_KERNEL_NAME,
        kernel_spec_manager=_PrivateKernelSpecs(),
        transport="ipc",
        ip=str(folder / "s"),
        connection_file=str(folder / "connection.json"),
        context=context,
    )


async def start_process(
    manager: AsyncKernelManager, settings: ChildSettings, folder: Path, seed: int | None
) -> None:
    """Start a child's process; the kernel is not ready yet when this returns.

    Parameters
    ----------
    manager
        From `make_manager`.
    settings
        Limits of the child.
    folder
        The folder given to `make_manager`.
    seed
        Seed of the child's random numbers; None for none.

    Raises
    ------
    OSError
        Where no process can be started.
    """
    work = folder / _WORK_FOLDER
    work.mkdir(mode=0o700)
    arguments = [f"--memory-bytes={settings.memory_bytes}", f"--keep-chars={settings.keep_chars}"]
    if seed is not None:
        arguments.append(f"--seed={seed}")
    with (folder / _START_LOG).open("wb") as log:
        await manager.start_kernel(
            extra_arguments=arguments,
            env=child_environment(folder, seed, os.environ),
            cwd=str(work),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )


def last_words(folder: Path) -> str:
    """Return the last line that a child wrote before it was ready; empty without one."""
    lines = (folder / _START_LOG).read_text(encoding="utf-8", errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
