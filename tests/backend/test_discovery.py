"""Finding the server: where from, what it is, and one sentence where it cannot be used."""

from __future__ import annotations

import os
import re
import socket
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from jupyterlab_tir.backend.discovery import START_ONE, connect
from jupyterlab_tir.errors import NoServerError, TirError
from jupyterlab_tir.events import ServerInfo
from jupyterlab_tir.serving.state import ServerState, process_start, state_path, write_state

KEY = "sk-s3cret-0123456789"


async def refused(resolved: Any, environ: dict[str, str] | None = None) -> str:
    with pytest.raises(NoServerError) as caught:
        async with connect(resolved, environ=environ or {}):
            pass
    assert KEY not in repr(caught.value) + str(caught.value)
    return str(caught.value)


def free_url() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/v1"


async def test_a_vllm_server_is_described(play: Any, settings: Any) -> None:
    async with play(model="qwen", max_model_len=4096, vllm_version="0.11.2") as playing:
        url = playing.server.base_url
        async with connect(settings(base_url=f"{url}/"), environ={}) as backend:
            assert backend.info == ServerInfo(
                base_url=url,
                source="option",
                product="vLLM",
                version="0.11.2",
                model="qwen",
                context=4096,
                dialect="fenced",
                dialect_reason="in chat it wrote a Python block and boxed the result that it was "
                "shown",
                reasoning=False,
                tokenizes=True,
            )
            assert backend.dialect.name == "fenced"
            assert await backend.client.count_tokens({"prompt": "a"}) == 1


async def test_another_product_is_unknown_and_sent_no_fields_of_vllm(
    play: Any, settings: Any
) -> None:
    async with play(kind="other") as playing:
        async with connect(settings(base_url=playing.server.base_url), environ={}) as backend:
            info = backend.info
        assert (info.product, info.version) == ("unknown", "unknown")
        assert (info.context, info.tokenizes) == (None, False)
        bodies = [request.body for request in playing.server.requests if request.body is not None]
        allowed = {"model", "messages", "temperature", "max_tokens", "stop"}
        assert bodies
        assert all(set(body) <= allowed for body in bodies)


@pytest.mark.parametrize(
    ("server", "dialect", "reason"),
    [
        ({"chat_follows_code": True}, "fenced", "wrote a Python block and boxed"),
        (
            {"chat_follows_code": False},
            "fewshot",
            "asked in chat for a Python block, it wrote none",
        ),
        ({"chat_template": False}, "fewshot", "chat failed: The server said: .*chat template"),
    ],
)
async def test_the_dialect_is_found_by_asking(
    play: Any, settings: Any, server: dict[str, Any], dialect: str, reason: str
) -> None:
    async with (
        play(**server) as playing,
        connect(settings(base_url=playing.server.base_url), environ={}) as backend,
    ):
        assert backend.info.dialect == backend.dialect.name == dialect
        assert re.search(reason, backend.info.dialect_reason)


@pytest.mark.parametrize("dialect", ["fenced", "fewshot"])
async def test_a_named_dialect_is_taken_without_a_probe(
    play: Any, settings: Any, dialect: str
) -> None:
    async with play() as playing:
        asked = settings(base_url=playing.server.base_url, dialect=dialect)
        async with connect(asked, environ={}) as backend:
            assert backend.info.dialect == dialect
            assert backend.info.dialect_reason == "named by the setting"
        assert {request.method for request in playing.server.requests} == {"GET"}


async def test_nothing_named_and_nothing_running_is_one_sentence(settings: Any) -> None:
    assert await refused(settings()) == (
        f"No server is named and no embedded server is running. {START_ONE}"
    )
    assert "`tir serve --embedded`" in START_ONE


@pytest.mark.usefixtures("folders")
async def test_the_running_embedded_server_is_found_by_its_state(play: Any, settings: Any) -> None:
    start = process_start(os.getpid())
    assert start is not None
    async with play(model="smol") as playing:
        state = ServerState(
            base_url=playing.server.base_url,
            model="smol",
            pid=os.getpid(),
            process_start=start,
            log_path="log",
            detached=False,
            kind="embedded",
            started_at=time.time(),
        )
        write_state(state)
        async with connect(settings(), environ={}) as backend:
            assert backend.info.source == "running embedded server"
            assert backend.info.base_url == playing.server.base_url
            assert backend.info.model == "smol"
        # An explicit address wins over it.
        async with (
            play(model="mine") as mine,
            connect(settings(base_url=mine.server.base_url), environ={}) as backend,
        ):
            assert (backend.info.model, backend.info.source) == ("mine", "option")
        write_state(msgspec.structs.replace(state, process_start="another process"))
        assert (await refused(settings())).startswith("No server is named")
        assert not state_path().exists()


async def test_no_server_at_the_address(settings: Any) -> None:
    url = free_url()
    assert await refused(settings(base_url=url)) == (
        f"No server answers at {url} (All connection attempts failed). {START_ONE}"
    )


async def test_a_host_name_that_is_none_is_no_server(settings: Any) -> None:
    words = await refused(settings(base_url="http://xn--/v1"))
    assert words.startswith("No server answers at http://xn--/v1 (")
    assert words.endswith(START_ONE)


async def test_a_server_that_wants_a_key_says_where_to_put_it(play: Any, settings: Any) -> None:
    async with play(api_key=KEY) as playing:
        url = playing.server.base_url
        assert await refused(settings(base_url=url)) == (
            f"The server at {url} wants an API key: put it in the environment variable "
            "OPENAI_API_KEY."
        )
        assert await refused(settings(base_url=url, api_key_env="MY_KEY"), {"MY_KEY": ""}) == (
            f"The server at {url} wants an API key: put it in the environment variable MY_KEY."
        )


async def test_a_refused_key_is_named_by_its_variable_and_never_shown(
    play: Any, settings: Any
) -> None:
    async with play(api_key="another") as playing:
        url = playing.server.base_url
        assert await refused(settings(base_url=url), {"OPENAI_API_KEY": KEY}) == (
            f"The server at {url} refuses the API key in the environment variable OPENAI_API_KEY."
        )


async def test_a_key_opens_the_server_and_shows_nowhere(play: Any, settings: Any) -> None:
    async with play(api_key=KEY) as playing:
        asked = settings(base_url=playing.server.base_url, api_key_env="MY_KEY")
        # A line break at the end comes from files that hold a key.
        async with connect(asked, environ={"MY_KEY": f"{KEY}\n"}) as backend:
            assert backend.info.dialect == "fenced"
            assert KEY not in repr(backend) + repr(backend.client) + repr(vars(backend.client))
            assert KEY.encode() not in msgspec.json.encode(backend.info)


@pytest.mark.parametrize("key", [f"{KEY}\nx", f"{KEY}é", f"{KEY}\x00"])
async def test_a_key_that_no_header_can_carry_is_not_shown_either(
    play: Any, settings: Any, key: str
) -> None:
    async with play(api_key=KEY) as playing:
        asked = settings(base_url=playing.server.base_url)
        assert await refused(asked, {"OPENAI_API_KEY": key}) == (
            "The API key in the environment variable OPENAI_API_KEY holds characters that no key "
            "has, such as a line break: set it again."
        )
        assert playing.server.requests == []


async def test_the_key_is_looked_up_in_the_environment_of_the_process(
    play: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    async with (
        play(api_key=KEY) as playing,
        connect(settings(base_url=playing.server.base_url)) as backend,
    ):
        assert backend.info.product == "vLLM"


@pytest.mark.parametrize(
    ("replies", "sentence"),
    [
        ({"/v1/models": (200, {"data": []})}, "has no model: start it with one."),
        (
            {"/v1/models": (200, {"data": [{}, None, {"id": 5}]})},
            "has no model: start it with one.",
        ),
        (
            {"/v1/models": (503, "<html>")},
            "is not ready (HTTP 503): wait until it has loaded its model, or look at its log.",
        ),
        (
            {"/v1/models": (200, "<html>hello</html>")},
            "is not an OpenAI-compatible server (GET /models gave HTTP 200 and no list of models).",
        ),
        (
            {"/v1/models": (200, {"data": "x"})},
            "is not an OpenAI-compatible server (GET /models gave HTTP 200 and no list of models).",
        ),
        (
            {},
            "is not an OpenAI-compatible server (GET /models gave HTTP 404 and no list of models).",
        ),
    ],
)
async def test_what_answers_but_cannot_be_used(
    answer: Any, settings: Any, replies: dict[str, Any], sentence: str
) -> None:
    async with answer(replies) as plain:
        words = await refused(settings(base_url=plain.base_url))
        assert words.removeprefix("What answers at ").removeprefix("The server at ") == (
            f"{plain.base_url} {sentence}"
        )


async def test_an_address_without_its_version_gets_a_hint(answer: Any, settings: Any) -> None:
    async with answer({"/v1/models": (200, {"data": [{"id": "a"}]})}) as plain:
        words = await refused(settings(base_url=plain.base_url.removesuffix("/v1")))
        assert words.endswith("no list of models). Its address usually ends in /v1.")


async def test_a_wrong_model_is_told_which_there_are(answer: Any, settings: Any) -> None:
    models = {"data": [{"id": "qwen"}, {"id": "llama"}]}
    async with answer({"/v1/models": (200, models)}) as plain:
        assert await refused(settings(base_url=plain.base_url, model="gpt")) == (
            f"The server at {plain.base_url} has no model 'gpt': it has qwen, llama."
        )


@pytest.mark.parametrize(
    ("wanted", "name", "context"),
    [(None, "a", 512), ("b", "b", None), ("c", "c", None), ("d", "d", None)],
)
async def test_the_model_is_the_named_or_the_first_one(
    answer: Any, settings: Any, wanted: str | None, name: str, context: int | None
) -> None:
    models = [
        {"id": "a", "max_model_len": 512},
        {"id": "b"},
        {"id": "c", "max_model_len": "x"},
        {"id": "d", "max_model_len": 0},
    ]
    async with answer({"/v1/models": (200, {"data": models})}) as plain:
        asked = settings(base_url=plain.base_url, model=wanted, dialect="fewshot")
        async with connect(asked, environ={}) as backend:
            assert (backend.info.model, backend.info.context) == (name, context)


@pytest.mark.parametrize("version", [(200, {"version": 5}), (200, "<html>"), (500, {}), (200, [])])
async def test_what_states_no_version_is_not_vllm(
    answer: Any, settings: Any, version: tuple[int, Any]
) -> None:
    replies = {"/v1/models": (200, {"data": [{"id": "a"}]}), "/version": version}
    async with answer(replies) as plain:
        asked = settings(base_url=plain.base_url, dialect="fewshot")
        async with connect(asked, environ={}) as backend:
            assert (backend.info.product, backend.info.tokenizes) == ("unknown", False)


async def test_a_server_that_fails_the_probe_for_the_key_is_named(
    answer: Any, settings: Any
) -> None:
    replies = {
        "/v1/models": (200, {"data": [{"id": "a"}]}),
        "/v1/chat/completions": (403, {"error": {"message": "no access"}}),
    }
    async with answer(replies) as plain:
        assert await refused(settings(base_url=plain.base_url)) == (
            f"The server at {plain.base_url} failed: The server said: no access"
        )


async def test_echo_is_a_server_of_its_own_that_ends_with_its_use(settings: Any) -> None:
    async with connect(settings(base_url="echo"), environ={}) as backend:
        url = backend.client.base_url
        assert (backend.info.base_url, backend.info.model) == ("echo", "echo")
        assert (await backend.client.get(f"{url}/models")).status_code == 200
    assert "No server answers" in await refused(settings(base_url=url))


async def test_a_script_that_cannot_be_read_is_a_sentence(settings: Any, tmp_path: Path) -> None:
    with pytest.raises(TirError, match="cannot be read"):
        async with connect(settings(base_url=f"scripted:{tmp_path}/none.json"), environ={}):
            pass


async def test_the_source_of_the_address_is_told(play: Any, settings: Any) -> None:
    async with play() as playing:
        asked = settings(base_url=playing.server.base_url, dialect="fenced")
        asked = msgspec.structs.replace(
            asked, sources={**asked.sources, "base_url": "environment OPENAI_BASE_URL"}
        )
        async with connect(asked, environ={}) as backend:
            assert backend.info.source == "environment OPENAI_BASE_URL"
