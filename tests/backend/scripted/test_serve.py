from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

import httpx
import pytest

from jupyterlab_tir.backend.scripted import ScriptedServer, load_script, serve_forever
from jupyterlab_tir.errors import UsageError

EXAMPLES = Path(__file__).parents[3] / "examples" / "scripted"


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
async def test_serving_prints_the_base_url_and_ends_well(stop: signal.Signals) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        "from jupyterlab_tir.backend.scripted import serve_forever; serve_forever('echo')",
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(30):
            base_url = (await process.stdout.readline()).decode().strip()
        async with httpx.AsyncClient() as client:
            assert (await client.get(f"{base_url}/models")).status_code == 200
        process.send_signal(stop)
        async with asyncio.timeout(10):
            out, err = await process.communicate()
        assert (process.returncode, out, err) == (0, b"", b"")
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def test_serving_an_absent_file_is_one_sentence() -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        serve_forever("/nowhere/script.json")


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.json")), ids=lambda path: path.stem)
async def test_every_example_can_be_played(path: Path) -> None:
    script = load_script(path)
    async with ScriptedServer(script) as server, httpx.AsyncClient() as client:

        async def first_turn(phrase: str, sample: int) -> str:
            headers = {"x-request-id": f"tir-r-s{sample}-a9-t0"}
            body = {"messages": [{"role": "user", "content": f"Problem: {phrase}"}]}
            url = f"{server.base_url}/chat/completions"
            reply = await client.post(url, json=body, headers=headers)
            return str(reply.json()["choices"][0]["message"]["content"])

        wanted = [
            (first_turn(problem.contains, number), sample.turns_of(9)[0].text)
            for problem in script.problems
            for number, sample in enumerate(problem.samples)
        ]
        texts = await asyncio.gather(*(played for played, _ in wanted))
        assert texts == [text for _, text in wanted]


async def test_the_example_of_the_documentation_is_a_script(tmp_path: Path) -> None:
    text = (Path(__file__).parents[3] / "docs" / "scripted.md").read_text("utf-8")
    example = text.split("```json\n", 1)[1].split("\n```", 1)[0]
    path = tmp_path / "documented.json"
    path.write_text(example, "utf-8")
    assert len(load_script(path).problems) == 2
