"""What several rooms' tests share: one embedded vLLM server for the whole run.

`vllm_server` is the real thing: set up where users have it (an environment that is there is used),
started once under a private runtime folder, ended with the run. Tests that use it carry the mark
`vllm`.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator

import pytest

from jupyterlab_tir.serving.state import ServerState

LEFT_OUT = "TIR_TEST_WITHOUT_VLLM"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the tests out that need vLLM, and say so, where the environment asks for it."""
    if os.environ.get(LEFT_OUT):
        left_out = pytest.mark.skip(reason=f"{LEFT_OUT} is set: not run against a real vLLM")
        for item in items:
            if item.get_closest_marker("vllm"):
                item.add_marker(left_out)


@pytest.fixture(scope="session")
def vllm_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerState]:
    """The running embedded server; a machine that cannot run it fails the test with the reason."""
    from jupyterlab_tir.serving.environment import build_environment
    from jupyterlab_tir.serving.launch import start_server, stop_server
    from jupyterlab_tir.serving.model import make_model
    from jupyterlab_tir.serving.plans import embedded_plan

    def progress(seconds: float, message: str) -> None:
        sys.__stderr__.write(f"vllm_server: {seconds:4.0f} s  {message}\n")

    async def begin() -> ServerState:
        await build_environment(progress)
        await make_model(progress)
        plan = embedded_plan(port=None)
        return (await start_server(plan, detach=False, progress=progress)).state

    # The private folder holds only while our code runs: other tests must not find this server.
    folder = str(tmp_path_factory.mktemp("runtime"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_RUNTIME_DIR", folder)
        state = asyncio.run(begin())
    yield state
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_RUNTIME_DIR", folder)
        asyncio.run(stop_server(state))
