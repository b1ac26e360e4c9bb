"""Wait until a started server answers, telling what it does meanwhile.

Asks only `/health` and `/v1/models`, on loopback; starts and ends nothing.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import msgspec

from jupyterlab_tir.errors import ServeError
from jupyterlab_tir.serving import log
from jupyterlab_tir.serving.state import ServerState, is_alive

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jupyterlab_tir.serving.locking import Progress

POLL_S = 0.25
REQUEST_TIMEOUT_S = 5.0


class _Model(msgspec.Struct, frozen=True):
    id: str


class _Models(msgspec.Struct, frozen=True):
    data: tuple[_Model, ...]


async def wait_until_ready(
    state: ServerState,
    *,
    limit: float,
    environment: Mapping[str, str],
    progress: Progress,
) -> str:
    """Wait until the server of `state` has loaded its model.

    Parameters
    ----------
    state
        The server to wait for.
    limit
        Moment of `time.monotonic()` at which to give up.
    environment
        The server's environment; its `VLLM_API_KEY`, if any, is what the server asks for.
    progress
        Called about once a second.

    Returns
    -------
    str
        Name of the model that the server serves.

    Raises
    ------
    ServeError
        If the server ends meanwhile or does not answer in time.
    """
    start = time.monotonic()
    key = environment.get("VLLM_API_KEY")
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    # trust_env would send these loopback requests through a proxy of the user's.
    async with httpx.AsyncClient(
        headers=headers, timeout=REQUEST_TIMEOUT_S, trust_env=False
    ) as client:
        told = -1.0
        while True:
            if not is_alive(state):
                raise _died(state)
            model = await _served_model(client, state)
            if model is not None:
                return model
            waited = time.monotonic() - start
            if time.monotonic() >= limit:
                raise ServeError(
                    f"The server did not answer within {waited:.0f} s (last message:"
                    f" {_stage(state)}); wait longer with --wait-s or read {state.log_path}."
                )
            if waited - told >= 1.0:
                progress(waited, _stage(state))
                told = waited
            await asyncio.sleep(POLL_S)


async def _served_model(client: httpx.AsyncClient, state: ServerState) -> str | None:
    """Name of the model, None while it is loading."""
    try:
        health = await client.get(state.base_url.removesuffix("/v1") + "/health")
        if health.status_code != httpx.codes.OK:
            return None
        answer = await client.get(state.base_url + "/models")
    except httpx.TransportError:
        return None
    if answer.status_code in {httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN}:
        # Started with a key that we were not told (`-- --api-key …`): it is up all the same.
        return state.model
    if answer.status_code != httpx.codes.OK:
        return None
    try:
        models = msgspec.json.decode(answer.content, type=_Models)
    except msgspec.DecodeError as error:
        raise ServeError(
            f"What answers at {state.base_url}/models is not a vLLM server ({error})."
        ) from error
    return models.data[0].id if models.data else None


def _stage(state: ServerState) -> str:
    return log.last_stage(log.read_tail(Path(state.log_path))) or "loading libraries"


def _died(state: ServerState) -> ServeError:
    cause = log.last_error(log.read_tail(Path(state.log_path))) or "it printed nothing"
    return ServeError(f"The server ended while it started: {cause} (log: {state.log_path}).")
