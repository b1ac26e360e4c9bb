"""Which dialect does a model follow? Found by asking it, not by its name.

The probe plays one exchange of the fenced dialect: does the model write a Python block when it is
asked to, and does it box the answer when it is shown the result? Then chat it is; otherwise the
worked examples of the few-shot dialect. A model without a chat template needs no exchange.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from pathlib import Path
from typing import Any

import msgspec

from .. import paths
from ..answers import extract_answer
from ..config import DialectChoice
from ..events import ServerInfo
from .client import Client
from .dialects import DIALECTS, Conversation, DialectName
from .faults import BackendFault
from .turns import first_python_block, without_reasoning

QUESTION = "What is 123 * 456? Compute it with Python."
EXPECTED = "56088"
PROBE_TOKENS = 1024
PROBE_S = 120.0
"""Seconds that the model may take for its reply."""

KNOWN_FOR_S = 24 * 3600.0
"""Seconds for which the result of a probe is remembered."""


class DialectProbe(msgspec.Struct, frozen=True, kw_only=True):
    """What a probe found: the dialect, why, and whether the model thinks in its own channel."""

    dialect: DialectName
    reason: str
    reasoning: bool = False


class _Known(msgspec.Struct, frozen=True):
    at: float
    found: DialectProbe


async def choose_dialect(
    client: Client, info: ServerInfo, wanted: DialectChoice, *, fresh: bool
) -> DialectProbe:
    """Choose how to ask the model.

    Parameters
    ----------
    wanted
        The setting; anything but ``auto`` is taken as it is.
    fresh
        Probe again although the result of an earlier probe is known.

    Raises
    ------
    BackendFault
        If no server answers or it refuses the API key.
    """
    if wanted != "auto":
        return DialectProbe(dialect=wanted, reason="named by the setting")
    memory = _Memory(client.base_url, info)
    if not fresh and (known := memory.recall()) is not None:
        return known
    try:
        found = await _probe(client, info.model)
    except BackendFault as fault:
        if fault.kind in ("unreachable", "unauthorized"):
            raise
        found = DialectProbe(dialect="fewshot", reason=f"chat failed: {fault.words}")
        if fault.kind != "refused":
            return found  # what failed once may work the next time
    memory.keep(found)
    return found


async def _probe(client: Client, model: str) -> DialectProbe:
    conversation = Conversation(QUESTION)
    first = await _ask(client, model, conversation, turn=0)
    text, thought = without_reasoning(first)
    code = first_python_block(text)
    if code is None:
        return DialectProbe(
            dialect="fenced" if thought else "fewshot",
            reason="it thinks before it answers in chat"
            if thought
            else "asked in chat for a Python block, it wrote none",
            reasoning=thought,
        )
    cut = text[: code.end]
    second = await _ask(client, model, conversation.after(cut, EXPECTED), turn=1)
    text, thought_again = without_reasoning(second)
    answer = extract_answer(text)
    if answer is not None and answer.raw.replace(",", "").strip() == EXPECTED:
        return DialectProbe(
            dialect="fenced",
            reason="in chat it wrote a Python block and boxed the result that it was shown",
            reasoning=thought or thought_again,
        )
    if thought or thought_again:
        # Its thoughts may have taken all the tokens that the probe allows for its answer.
        return DialectProbe(
            dialect="fenced",
            reason="in chat it wrote a Python block, and it thinks before it answers",
            reasoning=True,
        )
    return DialectProbe(
        dialect="fewshot",
        reason="in chat it wrote a Python block, but did not box the result that it was shown",
    )


async def _ask(client: Client, model: str, conversation: Conversation, turn: int) -> dict[str, Any]:
    dialect = DIALECTS["fenced"]
    body = {
        "model": model,
        **dialect.prompt(conversation, "tir"),
        "temperature": 0,
        "max_tokens": PROBE_TOKENS if turn == 0 else PROBE_TOKENS // 4,
        "stop": list(dialect.stops),
    }
    answer = await client.post(
        client.base_url + dialect.endpoint,
        body,
        request_id=f"tir-probe-s0-a0-t{turn}",
        timeout_s=PROBE_S,
    )
    with contextlib.suppress(LookupError, TypeError):
        message = answer["choices"][0]["message"]
        if isinstance(message, dict):
            return message
    raise BackendFault("malformed", "The server's chat reply holds no message.")


class _Memory:
    """Results of earlier probes, by server and model, in a file of the runtime folder."""

    def __init__(self, base_url: str, info: ServerInfo) -> None:
        self._path: Path | None = None
        # A scripted server is a new one each time, whatever its name.
        if info.base_url.startswith(("http://", "https://")):
            # Here and below: where the disk refuses, nothing is remembered but a probe's seconds.
            with contextlib.suppress(OSError):
                self._path = paths.runtime_dir() / "dialects.json"
        name = "\n".join([base_url, info.product, info.version, info.model, str(info.context)])
        self._key = hashlib.sha256(name.encode()).hexdigest()[:16]

    def recall(self) -> DialectProbe | None:
        known = self._read().get(self._key)
        if known is None or not 0 <= time.time() - known.at < KNOWN_FOR_S:
            return None
        return known.found

    def keep(self, found: DialectProbe) -> None:
        if self._path is None:
            return
        known = {**self._read(), self._key: _Known(time.time(), found)}
        draft = self._path.with_suffix(f".{os.getpid()}.new")
        with contextlib.suppress(OSError):
            draft.write_bytes(msgspec.json.encode(known))
            draft.replace(self._path)

    def _read(self) -> dict[str, _Known]:
        if self._path is None:
            return {}
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=dict[str, _Known])
        except (OSError, UnicodeDecodeError, msgspec.DecodeError):
            return {}
