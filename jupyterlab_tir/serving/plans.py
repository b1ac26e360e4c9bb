"""What is launched: arguments and surroundings of the embedded server and the user's own vLLM.

Decides only; `launch` starts what is decided here.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import TYPE_CHECKING

from jupyterlab_tir import paths
from jupyterlab_tir.errors import ServeError, UsageError
from jupyterlab_tir.serving.environment import environment_python
from jupyterlab_tir.serving.launch import LaunchPlan
from jupyterlab_tir.serving.model import MODEL_NAME, OFFLINE, model_dir

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

EMBEDDED_ARGUMENTS = (
    # Compiling the model would take longer than all that it saves for a model of this size.
    "--enforce-eager",
    "--dtype=bfloat16",
    "--max-model-len=4096",
    "--max-num-seqs=64",
    "--enable-prefix-caching",
    "--disable-uvicorn-access-log",
)

EMBEDDED_ENVIRONMENT = OFFLINE | {
    "VLLM_CPU_KVCACHE_SPACE": "2",  # GiB, which is 93,184 tokens of this model
    "VLLM_NO_USAGE_STATS": "1",
    # vLLM 0.32 compiles its sampler in the first request even with --enforce-eager, which took
    # 26 s on two cores and needs a C++ compiler; without, the first request takes 0.2 s.
    "TORCHDYNAMO_DISABLE": "1",
    "PYTHONNOUSERSITE": "1",
}

LOOPBACK_ENVIRONMENT = {
    # Otherwise torch's process groups listen on the machine's public address.
    "VLLM_HOST_IP": "127.0.0.1",
    "GLOO_SOCKET_IFNAME": "lo",
    # A folder named vllm or torch in the current folder must not be taken for the library.
    "PYTHONSAFEPATH": "1",
    "PYTHONUNBUFFERED": "1",
}

PASSED_ON = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR", "LD_LIBRARY_PATH")
PASSED_ON_PREFIXES = ("LC_", "OMP_", "MKL_", "OPENBLAS_", "VLLM_CPU_")
"""All that the embedded server sees of the caller's environment: no key and no token."""

OURS = ("--host", "--port", "--model", "--uds")


def embedded_plan(port: int | None, extra: Sequence[str] = ()) -> LaunchPlan:
    """Plan of the embedded server; its environment and model must have been made.

    Raises
    ------
    UsageError
        If `extra` names what this package decides (host, port, model).
    """
    _check_extra(extra)
    return LaunchPlan(
        kind="embedded",
        python=str(environment_python()),
        model=str(model_dir()),
        served_model_name=MODEL_NAME,
        arguments=(*EMBEDDED_ARGUMENTS, *extra),
        environment=embedded_environment(os.environ),
        port=port,
    )


def embedded_environment(surroundings: Mapping[str, str]) -> dict[str, str]:
    """Environment of the embedded server, from the caller's."""
    passed = {
        name: value
        for name, value in surroundings.items()
        if name in PASSED_ON or name.startswith(PASSED_ON_PREFIXES)
    }
    cache = str(paths.embedded_dir() / "cache")
    caches = {"XDG_CACHE_HOME": cache, "HF_HOME": f"{cache}/huggingface"}
    return EMBEDDED_ENVIRONMENT | passed | LOOPBACK_ENVIRONMENT | caches


def vllm_plan(model: str, port: int | None, extra: Sequence[str] = ()) -> LaunchPlan:
    """Plan of the user's own vLLM, which must be installed beside this package.

    It gets the caller's whole environment: it is the user's server, with the user's GPUs, caches
    and model hub.

    Raises
    ------
    ServeError
        If vLLM is not installed here.
    UsageError
        If `extra` names what this package decides (host, port, model).
    """
    _check_extra(extra)
    if not model.strip():
        raise UsageError("--model is empty; give a model's name or folder.")
    if importlib.util.find_spec("vllm") is None:
        raise ServeError(
            f"vLLM is not installed for {sys.executable}; install it with"
            " `pip install 'jupyterlab_tir[serve]'`, or start the small CPU server with"
            " `tir serve --embedded`."
        )
    return LaunchPlan(
        kind="vllm",
        python=sys.executable,
        model=model,
        arguments=tuple(extra),
        environment=dict(os.environ) | LOOPBACK_ENVIRONMENT,
        port=port,
    )


def _check_extra(extra: Sequence[str]) -> None:
    for argument in extra:
        name = argument.partition("=")[0]
        if name in OURS:
            raise UsageError(
                f"{name} cannot be given after `--`: the server listens on loopback only; use"
                " --port and --model before it."
            )
