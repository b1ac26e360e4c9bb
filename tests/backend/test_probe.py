"""Which dialect a model is asked in, and how long that is remembered."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_tir.backend import probe
from jupyterlab_tir.backend.client import Client
from jupyterlab_tir.backend.discovery import connect
from jupyterlab_tir.backend.faults import BackendFault
from jupyterlab_tir.backend.probe import DialectProbe, choose_dialect
from jupyterlab_tir.events import ServerInfo
from jupyterlab_tir.paths import runtime_dir

BLOCK = "I compute.\n```python\nprint(123 * 456)\n```\n"


def info_of(base_url: str) -> ServerInfo:
    return ServerInfo(
        base_url=base_url,
        source="option",
        product="vLLM",
        version="0.32.0",
        model="m",
        context=4096,
        dialect="",
        dialect_reason="",
        reasoning=False,
        tokenizes=True,
    )


def says(content: str | None, **fields: Any) -> tuple[int, Any]:
    return 200, {"choices": [{"message": {"role": "assistant", "content": content, **fields}}]}


async def chosen(answer: Any, *replies: tuple[int, Any]) -> tuple[DialectProbe, list[Any]]:
    chat = {"/v1/chat/completions": list(replies)}
    async with answer(chat) as plain, Client(plain.base_url) as client:
        info = info_of(plain.base_url)
        found = await choose_dialect(client, info, "auto", fresh=True)
        return found, [body for _, body in plain.asked]


@pytest.mark.usefixtures("folders")
async def test_a_model_that_follows_the_exchange_is_asked_in_chat(answer: Any) -> None:
    found, bodies = await chosen(answer, says(BLOCK + "Then."), says("It is $\\boxed{56,088}$."))
    assert found == DialectProbe(
        dialect="fenced",
        reason="in chat it wrote a Python block and boxed the result that it was shown",
    )
    first, second = bodies
    assert first["messages"][1] == {"role": "user", "content": probe.QUESTION}
    assert (first["temperature"], first["stop"], first["model"]) == (0, ["```output"], "m")
    assert second["messages"][2:] == [
        {"role": "assistant", "content": BLOCK.rstrip()},
        {"role": "user", "content": "```output\n56088\n```"},
    ]


@pytest.mark.usefixtures("folders")
@pytest.mark.parametrize(
    ("replies", "reason"),
    [
        ([says("It is 56088.")], "asked in chat for a Python block, it wrote none"),
        ([says(None)], "asked in chat for a Python block, it wrote none"),
        ([says("```python\nprint(123 * 456)")], "asked in chat for a Python block, it wrote none"),
        (
            [says(BLOCK), says("It is 56088.")],
            "in chat it wrote a Python block, but did not box the result that it was shown",
        ),
        (
            [says(BLOCK), says("It is \\boxed{56089}.")],
            "in chat it wrote a Python block, but did not box the result that it was shown",
        ),
        (
            [(400, {"error": {"message": "no chat template"}})],
            "chat failed: The server said: no chat template",
        ),
        ([(404, {"detail": "Not Found"})], "chat failed: The server said: Not Found"),
        ([(200, {})], "chat failed: The server's chat reply holds no message."),
        ([(200, {"choices": []})], "chat failed: The server's chat reply holds no message."),
        ([(200, "<html>")], "chat failed: The server's chat reply holds no message."),
        (
            [(200, {"choices": [{"message": None}]})],
            "chat failed: The server's chat reply holds no message.",
        ),
    ],
)
async def test_a_model_that_does_not_follow_is_shown_examples(
    answer: Any, replies: list[Any], reason: str
) -> None:
    found, _ = await chosen(answer, *replies)
    assert found == DialectProbe(dialect="fewshot", reason=reason)


@pytest.mark.usefixtures("folders")
@pytest.mark.parametrize(
    ("replies", "reason"),
    [
        ([says("It is 56088.", reasoning="Hm.")], "it thinks before it answers in chat"),
        ([says(None, reasoning_content="Hm")], "it thinks before it answers in chat"),
        ([says(f"<think>{BLOCK}</think>56088")], "it thinks before it answers in chat"),
        (
            [says(BLOCK, reasoning="Hm."), says("It is \\boxed{56088}.")],
            "in chat it wrote a Python block and boxed the result that it was shown",
        ),
        (
            [says(f"Hm.</think>{BLOCK}"), says(None, reasoning="Is that right? Let me")],
            "in chat it wrote a Python block, and it thinks before it answers",
        ),
    ],
)
async def test_a_model_that_thinks_is_asked_in_chat(
    answer: Any, replies: list[Any], reason: str
) -> None:
    found, _ = await chosen(answer, *replies)
    assert found == DialectProbe(dialect="fenced", reason=reason, reasoning=True)


@pytest.mark.usefixtures("folders")
async def test_a_refused_key_or_a_lost_server_is_not_a_dialect(answer: Any) -> None:
    with pytest.raises(BackendFault, match="bad key") as caught:
        await chosen(answer, (401, {"error": "bad key"}))
    assert caught.value.kind == "unauthorized"
    async with answer({}) as plain:
        gone = plain.base_url
    async with Client(gone) as client:
        with pytest.raises(BackendFault, match="No server answers"):
            await choose_dialect(client, info_of(gone), "auto", fresh=True)


@pytest.mark.usefixtures("folders")
async def test_a_dialect_named_by_the_setting_needs_no_request(answer: Any) -> None:
    async with answer({}) as plain, Client(plain.base_url) as client:
        found = await choose_dialect(client, info_of(plain.base_url), "fewshot", fresh=True)
        assert found == DialectProbe(dialect="fewshot", reason="named by the setting")
        assert plain.asked == []


def probes(playing: Any) -> int:
    return sum(
        request.headers.get("x-request-id", "").startswith("tir-probe")
        for request in playing.server.requests
    )


async def test_a_real_server_is_probed_once_a_day(
    play: Any, settings: Any, folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with play() as playing:
        asked = settings(base_url=playing.server.base_url)
        async with connect(asked, environ={}) as backend:
            first = backend.info
        assert (first.dialect, probes(playing)) == ("fenced", 2)

        file = folders / "dialects.json"
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
        assert sorted(folders.rglob("*")) == [file]  # noqa: ASYNC240 - one small folder
        async with connect(asked, environ={}) as backend:
            assert backend.info == first
        assert probes(playing) == 2

        async with connect(asked, environ={}, fresh_probe=True):
            assert probes(playing) == 4
        day_later = probe.time.time() + probe.KNOWN_FOR_S + 1
        monkeypatch.setattr(probe.time, "time", lambda: day_later)
        async with connect(asked, environ={}):
            assert probes(playing) == 6


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"\xff", b'{"x": {"at": 1, "found": {"dialect": "unheard", "reason": ""}}}'],
)
async def test_an_unreadable_memory_is_probed_anew(
    play: Any, settings: Any, folders: Path, content: bytes
) -> None:
    (runtime_dir() / "dialects.json").write_bytes(content)
    async with play() as playing:
        async with connect(settings(base_url=playing.server.base_url), environ={}) as backend:
            assert backend.info.dialect == "fenced"
        assert len(json.loads((folders / "dialects.json").read_bytes())) == 1


async def test_another_model_at_the_same_address_is_probed_again(
    settings: Any, answer: Any
) -> None:
    models = [{"id": "a"}, {"id": "b"}]
    chat = [says("no"), says(BLOCK), says("\\boxed{56088}")]
    replies = {"/v1/models": (200, {"data": models}), "/v1/chat/completions": chat}
    async with answer(replies) as plain:
        found = {}
        for model in ("a", "b", "a"):
            asked = settings(base_url=plain.base_url, model=model)
            async with connect(asked, environ={}) as backend:
                found[model] = backend.info.dialect
        assert found == {"a": "fewshot", "b": "fenced"}
        assert [path for path, _ in plain.asked].count("/v1/chat/completions") == 3


async def test_a_refused_chat_is_remembered_and_another_failure_is_not(
    settings: Any, answer: Any, folders: Path
) -> None:
    models = {"/v1/models": (200, {"data": [{"id": "a"}]})}
    broken = {**models, "/v1/chat/completions": (500, {"error": {"message": "engine dead"}})}
    async with answer(broken) as plain:
        async with connect(settings(base_url=plain.base_url), environ={}) as backend:
            assert backend.info.dialect == "fewshot"
            assert "engine dead" in backend.info.dialect_reason
        assert not (folders / "dialects.json").exists()
    refusing = {**models, "/v1/chat/completions": (400, {"error": {"message": "no template"}})}
    async with answer(refusing) as plain:
        async with connect(settings(base_url=plain.base_url), environ={}) as backend:
            assert "no template" in backend.info.dialect_reason
        assert (folders / "dialects.json").exists()


async def test_a_scripted_server_is_not_remembered(
    settings: Any, folders: Path, tmp_path: Path
) -> None:
    script = tmp_path / "script.json"
    script.write_text(
        '{"version": 1, "problems": [{"contains": "", "samples": [{"turns": [{}]}]}]}'
    )
    async with connect(settings(base_url=f"scripted:{script}"), environ={}) as backend:
        assert backend.info.dialect == "fenced"
    assert not (folders / "dialects.json").exists()
