"""The real thing, end to end: the embedded server answers what the engine asks of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from jupyterlab_tir.serving.state import is_alive
from jupyterlab_tir.serving.supervisor import descendants

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jupyterlab_tir.serving.state import ServerState

pytestmark = pytest.mark.vllm

LOOPBACK_HEX = "0100007F"  # 127.0.0.1 as /proc/net/tcp writes it
LISTENING = "0A"


@pytest.fixture
def client(vllm_server: ServerState) -> Iterator[httpx.Client]:
    with httpx.Client(
        base_url=vllm_server.base_url.removesuffix("/v1"), timeout=120, trust_env=False
    ) as client:
        yield client


def post(client: httpx.Client, path: str, body: dict[str, Any], **headers: str) -> Any:
    response = client.post(path, json=body, headers=headers)
    assert response.status_code == 200, response.text
    return response.json()


def test_server_runs_and_serves_the_named_model(
    vllm_server: ServerState, client: httpx.Client
) -> None:
    assert is_alive(vllm_server)
    model = client.get("/v1/models").json()["data"][0]
    assert (model["id"], model["max_model_len"]) == ("SmolLM2-135M-Instruct", 4096)
    assert client.get("/version").json()["version"] == "0.32.0"


def test_completion_carries_logprobs_token_ids_and_our_request_id(
    vllm_server: ServerState, client: httpx.Client
) -> None:
    body = {
        "model": vllm_server.model,
        "prompt": "1, 2, 3, 4, 5, 6,",
        "max_tokens": 4,
        "temperature": 0,
        "logprobs": 5,
        "return_token_ids": True,
    }
    answer = post(client, "/v1/completions", body, **{"X-Request-Id": "tir-test-1"})
    assert answer["id"] == "cmpl-tir-test-1"
    choice = answer["choices"][0]
    assert choice["text"].startswith(" 7")
    assert len(choice["token_ids"]) == 4
    assert all(len(top) in {5, 6} for top in choice["logprobs"]["top_logprobs"])


def test_same_seed_gives_the_same_text(vllm_server: ServerState, client: httpx.Client) -> None:
    body = {"model": vllm_server.model, "prompt": "Once", "max_tokens": 12, "temperature": 1.0}
    texts = [
        post(client, "/v1/completions", body | {"seed": seed})["choices"][0]["text"]
        for seed in (7, 7, 8)
    ]
    assert texts[0] == texts[1] != texts[2]


def test_chat_and_tokenize_use_the_template_of_the_model(
    vllm_server: ServerState, client: httpx.Client
) -> None:
    messages = [{"role": "user", "content": "Say hello."}]
    body = {"model": vllm_server.model, "messages": messages}
    chat = post(client, "/v1/chat/completions", body | {"max_tokens": 8, "temperature": 0})
    count = post(client, "/tokenize", body)["count"]
    assert chat["choices"][0]["message"]["content"]
    assert chat["usage"]["prompt_tokens"] == count
    # <|im_start|>, system, text…: far more than the three words of the message
    assert count > 20


def test_everything_of_the_server_listens_on_loopback_only(vllm_server: ServerState) -> None:
    tree = descendants(vllm_server.pid)
    sockets = {
        target.removeprefix("socket:[").removesuffix("]")
        for pid in tree
        for descriptor in Path(f"/proc/{pid}/fd").iterdir()
        if (target := _target(descriptor)).startswith("socket:[")
    }
    addresses = set()
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[9] in sockets and fields[3] == LISTENING:
            addresses.add(fields[1].partition(":")[0])
    assert addresses == {LOOPBACK_HEX}
    for line in Path("/proc/net/tcp6").read_text().splitlines()[1:]:
        fields = line.split()
        assert not (fields[9] in sockets and fields[3] == LISTENING), line


def _target(descriptor: Path) -> str:
    try:
        return os.readlink(descriptor)  # noqa: PTH115 - sockets have no path
    except FileNotFoundError:
        return ""


def test_server_sees_no_secret_of_the_caller(
    vllm_server: ServerState, monkeypatch: pytest.MonkeyPatch
) -> None:
    from jupyterlab_tir.serving.plans import embedded_environment

    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("HF_TOKEN", "hf-secret")
    assert "secret" not in str(embedded_environment(os.environ))
    for pid in descendants(vllm_server.pid):
        names = {
            entry.partition(b"=")[0]
            for entry in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        }
        assert not {name for name in names if b"TOKEN" in name or b"API_KEY" in name}
