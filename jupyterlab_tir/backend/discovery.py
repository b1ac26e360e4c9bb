"""Finding the server and learning what it is: address, product, model, context, dialect.

There is one way to find a server, and every face uses it: an explicit setting; else the running
embedded server; else one sentence with the command that starts one.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncIterator, Iterable, Mapping

import httpx
import msgspec

from ..config import Config, ResolvedConfig
from ..errors import NoServerError
from ..events import ServerInfo
from .client import Client, read_json
from .dialects import DIALECTS, Dialect
from .faults import BackendFault
from .probe import choose_dialect

START_ONE = (
    "Start one with `tir serve --embedded` (a small model on the CPU), or name yours with "
    "--base-url http://HOST:PORT/v1."
)


MOST_NAMES = 10
"""Models that an error lists by name."""


class Address(msgspec.Struct, frozen=True):
    """Where a server is (`url`), how the user named it, and where that came from."""

    url: str
    named: str
    source: str


class Backend(msgspec.Struct, frozen=True):
    """A server that is ready to be asked."""

    client: Client
    info: ServerInfo
    dialect: Dialect


@contextlib.asynccontextmanager
async def find_address(resolved: ResolvedConfig) -> AsyncIterator[Address]:
    """Find the server's address; a scripted one is started here and ends with the context.

    Raises
    ------
    NoServerError
        If none is named and no embedded server is running.
    """
    named, source = resolved.config.base_url, resolved.sources.get("base_url", "option")
    if named is None:
        yield _embedded_address()
    elif named == "echo" or named.startswith("scripted:"):
        from .scripted import ScriptedServer, echo_script, load_script  # noqa: PLC0415 - seldom used

        script = echo_script() if named == "echo" else load_script(named.removeprefix("scripted:"))
        async with ScriptedServer(script) as server:
            yield Address(server.base_url, named, source)
    else:
        yield Address(named.rstrip("/"), named.rstrip("/"), source)


def _embedded_address() -> Address:
    from ..serving.state import read_state  # noqa: PLC0415 - a file is read only where it is needed

    try:
        state = read_state()
    except OSError as error:
        raise NoServerError(
            f"The state of the embedded server cannot be read ({error}): mend the folder, or name "
            "a server with --base-url http://HOST:PORT/v1."
        ) from None
    if state is None:
        raise NoServerError(f"No server is named and no embedded server is running. {START_ONE}")
    return Address(state.base_url, state.base_url, "running embedded server")


@contextlib.asynccontextmanager
async def connect(
    resolved: ResolvedConfig,
    *,
    environ: Mapping[str, str] | None = None,
    fresh_probe: bool = False,
) -> AsyncIterator[Backend]:
    """Find the server, check that it can be used, and learn how to ask it.

    Parameters
    ----------
    environ
        Where the API key is looked up; `os.environ` if None.
    fresh_probe
        Probe the dialect again although the result of an earlier probe is known.

    Raises
    ------
    NoServerError
        If what answers (or does not) cannot be used; one sentence says why and what to do.
    """
    config = resolved.config
    key = _api_key(config.api_key_env, os.environ if environ is None else environ)
    async with find_address(resolved) as address, _client(address, key) as client:
        try:
            backend = await _describe(
                client, address, config, keyed=key is not None, fresh=fresh_probe
            )
        except BackendFault as fault:
            if fault.kind == "unreachable":
                raise NoServerError(f"{fault.words} {START_ONE}") from None
            failed = f"The server at {address.named} failed: "
            words = fault.words if address.named in fault.words else failed + fault.words
            raise NoServerError(words) from None
        yield backend


def _client(address: Address, key: str | None) -> Client:
    try:
        return Client(address.url, key)
    except (ImportError, ValueError, httpx.InvalidURL) as error:
        # SOCKS without its library, or no address at all: all proxies are read, used or not.
        raise NoServerError(
            "A proxy that the environment names (ALL_PROXY, HTTP_PROXY, HTTPS_PROXY) cannot be "
            f"used ({str(error).rstrip('.')}): mend or unset it."
        ) from None


def _api_key(variable: str, environ: Mapping[str, str]) -> str | None:
    """The key, or None for none.

    A key that a header cannot carry must be refused here: HTTP's own error would show it.
    """
    key = environ.get(variable, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise NoServerError(
            f"The API key in the environment variable {variable} holds characters that no key "
            "has, such as a line break: set it again."
        )
    return key or None


async def _describe(
    client: Client, address: Address, config: Config, *, keyed: bool, fresh: bool
) -> Backend:
    model, context = await _choose_model(client, address, config, keyed=keyed)
    version = await _version(client)
    info = ServerInfo(
        base_url=address.named,
        source=address.source,
        product="vLLM" if version is not None else "unknown",
        version=version or "unknown",
        model=model,
        context=context,
        dialect="",
        dialect_reason="",
        reasoning=False,
        tokenizes=version is not None,
    )
    found = await choose_dialect(client, info, config.dialect, fresh=fresh)
    info = msgspec.structs.replace(
        info, dialect=found.dialect, dialect_reason=found.reason, reasoning=found.reasoning
    )
    return Backend(client, info, DIALECTS[found.dialect])


async def _choose_model(
    client: Client, address: Address, config: Config, *, keyed: bool
) -> tuple[str, int | None]:
    """Name and context length of the model to ask."""
    response = await client.get(f"{client.base_url}/models")
    if response.status_code in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
        held = "refuses the API key in" if keyed else "wants an API key: put it in"
        raise NoServerError(
            f"The server at {address.named} {held} the environment variable {config.api_key_env}."
        )
    if response.status_code >= httpx.codes.INTERNAL_SERVER_ERROR:
        raise NoServerError(
            f"The server at {address.named} is not ready (HTTP {response.status_code}): "
            "wait until it has loaded its model, or look at its log."
        )
    if response.has_redirect_location:
        raise NoServerError(
            f"The server at {address.named} sends us on to {response.headers['Location']}: "
            "name the address that it moved to."
        )
    body = read_json(response)
    listed = body.get("data") if isinstance(body, dict) else None
    if response.status_code != httpx.codes.OK or not isinstance(listed, list):
        advice = "" if client.base_url.endswith("/v1") else " Its address usually ends in /v1."
        raise NoServerError(
            f"What answers at {address.named} is not an OpenAI-compatible server "
            f"(GET /models gave HTTP {response.status_code} and no list of models).{advice}"
        )
    models = {
        entry["id"]: entry.get("max_model_len")
        for entry in listed
        if isinstance(entry, dict) and isinstance(entry.get("id"), str)
    }
    if not models:
        raise NoServerError(f"The server at {address.named} has no model: start it with one.")
    name = config.model if config.model is not None else next(iter(models))
    if name not in models:
        raise NoServerError(
            f"The server at {address.named} has no model {name!r}: it has {_some(models)}."
        )
    context = models[name]
    return name, context if isinstance(context, int) and context > 0 else None


def _some(models: Iterable[str]) -> str:
    """The names, as far as a sentence holds them."""
    first, rest = list(models)[:MOST_NAMES], len(list(models)) - MOST_NAMES
    return ", ".join(first) + (f" and {rest:,} more" if rest > 0 else "")


async def _version(client: Client) -> str | None:
    """The version that vLLM states, or None for another server."""
    response = await client.get(f"{client.root_url}/version")
    body = read_json(response) if response.status_code == httpx.codes.OK else None
    version = body.get("version") if isinstance(body, dict) else None
    return version if isinstance(version, str) else None
