"""Asking one server: streamed replies, token counts, what it runs. Only this module speaks HTTP.

Closing a stream aborts the request on the server; every stream is closed by its context. Nothing
here retries: that is the loop's decision.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import ssl
from collections.abc import AsyncGenerator, Iterator
from types import TracebackType
from typing import Any, Literal, Self

import httpx
import msgspec

from ..errors import NoServerError
from .faults import BackendFault
from .sse import SseDecoder
from .wire import Delta, decode_json, error_fault, read_chunk

Endpoint = Literal["/completions", "/chat/completions"]

CONNECT_S = 10.0
"""Seconds to wait for a connection."""

USAGE_GRACE_S = 1.0
"""Seconds to wait, once a reply is finished, for the server's token counts and its good-bye."""

ANSWER_S = 30.0
"""Seconds to wait for the answer to a small question, such as which models there are."""

MOST_BYTES = 2**25
"""Most bytes of one answer, or of one event of a stream: a server must not fill our memory."""

UNREACHABLE = (httpx.InvalidURL, UnicodeError)
"""What an address raises that HTTP cannot even try, such as a host name that is no IDNA."""

_RUNNING = re.compile(r"^vllm:num_requests_running(?:\{.*\})? ([\d.e+]+)$", re.MULTILINE)


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One request for a streamed reply; `body` lacks only what every request has."""

    endpoint: Endpoint
    body: dict[str, Any]
    request_id: str
    top_logprobs: int


class Client:
    """A server's OpenAI-compatible API.

    Parameters
    ----------
    base_url
        Its address, ending in ``/v1`` as a rule.
    api_key
        Sent as a bearer token; None for none. It is kept in the connection's headers only.
    """

    def __init__(self, base_url: str, api_key: str | None = None) -> None:
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self.base_url = base_url.rstrip("/")
        self.root_url = re.sub(r"/v\d+$", "", self.base_url)
        self._http = httpx.AsyncClient(
            headers=headers,
            timeout=httpx.Timeout(ANSWER_S, connect=CONNECT_S),
            limits=httpx.Limits(
                max_connections=None,
                max_keepalive_connections=16,
                # vLLM closes an idle connection after 5 s; no request may meet that moment.
                keepalive_expiry=2.0,
            ),
            # A proxy of the environment must not come between us and a loopback server.
            trust_env=not _is_loopback(base_url),
            # Reading the certificates takes longer than asking a server, and HTTP needs none; an
            # empty store trusts nobody.
            verify=_certificates() if base_url.startswith("https:") else _trusts_nobody(),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._http.aclose()

    async def get(self, url: str) -> httpx.Response:
        """Ask a small question; raises `BackendFault` where no server answers."""
        return await self._ask("GET", url, ANSWER_S)

    async def post(
        self, url: str, body: dict[str, Any], *, request_id: str = "", timeout_s: float = ANSWER_S
    ) -> Any:  # noqa: ANN401 - JSON
        """Post JSON and read the JSON that comes back; raises `BackendFault` on an error."""
        headers = {"X-Request-Id": request_id} if request_id else {}
        response = await self._ask("POST", url, timeout_s, json=body, headers=headers)
        answer = read_json(response)
        if response.status_code != httpx.codes.OK:
            raise self._without_key(error_fault(answer, response.status_code))
        return answer

    async def _ask(
        self,
        method: str,
        url: str,
        timeout_s: float,
        **request: Any,  # noqa: ANN401 - parts of a request, as httpx takes them
    ) -> httpx.Response:
        # httpx limits the wait for each piece only; a server that drips would hold us for ever.
        timeout = httpx.Timeout(timeout_s, connect=CONNECT_S)
        try:
            async with (
                asyncio.timeout(timeout_s),
                self._http.stream(method, url, timeout=timeout, **request) as response,
            ):
                return await _read_whole(response, self.base_url)
        except (*UNREACHABLE, TimeoutError, httpx.HTTPError) as error:
            raise _no_answer(self.base_url, error, timeout_s) from None

    async def count_tokens(self, body: dict[str, Any]) -> int:
        """Count the tokens of a prompt (``prompt`` or ``messages``) as the server will read it."""
        answer = await self.post(f"{self.root_url}/tokenize", body)
        count = answer.get("count") if isinstance(answer, dict) else None
        if not isinstance(count, int):
            raise BackendFault("malformed", "The server did not count the prompt's tokens.")
        return count

    async def running_requests(self) -> int | None:
        """Count the requests that the server works on (vLLM's metric); None if it does not say."""
        response = await self.get(f"{self.root_url}/metrics")
        # One line for each engine that the server runs in parallel.
        found = _RUNNING.findall(response.text) if response.status_code == httpx.codes.OK else []
        return int(sum(map(float, found))) if found else None

    async def stream(self, request: Request, *, stall_s: float) -> AsyncGenerator[Delta, None]:
        """Stream a reply until the server says that it is finished.

        Close the iterator (`contextlib.aclosing`) to abort the request.

        Parameters
        ----------
        stall_s
            Seconds without a token after which the stream counts as stalled. Comments of the
            server do not count as tokens.

        Raises
        ------
        BackendFault
            If the request is refused, or the stream breaks off, stalls or cannot be read.
        """
        try:
            async with contextlib.AsyncExitStack() as stack:
                async with asyncio.timeout(stall_s):
                    response = await stack.enter_async_context(self._open(request))
                    if response.status_code != httpx.codes.OK:
                        raise _refusal(await _read_whole(response, self.base_url))
                reader = _Reader(response, request.top_logprobs, stall_s)
                while (deltas := await reader.next()) is not None:
                    for delta in deltas:
                        yield delta
        except BackendFault as fault:
            raise self._without_key(fault) from None
        except TimeoutError:
            words = f"The server sent no token for {stall_s:g} s."
            raise BackendFault("stalled", words) from None
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise _unreachable(self.base_url, error) from None
        except httpx.HTTPError as error:
            words = f"The server's stream broke off ({_reason(error)})."
            raise BackendFault("cut", words) from None

    def _without_key(self, fault: BackendFault) -> BackendFault:
        """The same fault, should the server have repeated the API key to us."""
        key = self._http.headers.get("Authorization", "").removeprefix("Bearer ")
        if not key or key not in fault.words + fault.raw:
            return fault
        return BackendFault(
            fault.kind,
            fault.words.replace(key, "…"),
            retry_after_s=fault.retry_after_s,
            raw=fault.raw.replace(key, "…"),
        )

    def _open(self, request: Request) -> contextlib.AbstractAsyncContextManager[httpx.Response]:
        return self._http.stream(
            "POST",
            self.base_url + request.endpoint,
            json=request.body,
            headers={"X-Request-Id": request.request_id},
            timeout=httpx.Timeout(None, connect=CONNECT_S),
        )


class _Reader:
    """Reads one stream, chunk by chunk, until its reply is finished."""

    def __init__(self, response: httpx.Response, top_logprobs: int, stall_s: float) -> None:
        self._chunks = response.aiter_bytes()
        self._decoder = SseDecoder()
        self._top_logprobs = top_logprobs
        self._stall_s = stall_s
        self._loop = asyncio.get_running_loop()
        self._patience = self._loop.time() + stall_s
        self._finished = False
        self._said_goodbye = False
        self._unread_bytes = 0

    async def next(self) -> Iterator[Delta] | None:
        """What the next bytes bring; None at the end of a finished reply."""
        if self._said_goodbye:
            return None
        try:
            async with asyncio.timeout_at(self._patience):
                chunk = await anext(self._chunks, None)
        except (TimeoutError, httpx.HTTPError):
            if self._finished:
                return None
            raise
        if chunk is not None:
            self._unread_bytes += len(chunk)
            if self._unread_bytes > MOST_BYTES + len(chunk):
                words = f"The server sent {MOST_BYTES:,} bytes without ending an event."
                raise BackendFault("malformed", words)
            # One after the other, so that what stood before a fault in the same chunk is not lost.
            return self._take(chunk)
        if not self._finished:
            words = "The server's stream ended before the reply was finished."
            raise BackendFault("cut", words)
        return None

    def _take(self, chunk: bytes) -> Iterator[Delta]:
        for event in self._decoder.feed(chunk):
            self._unread_bytes = 0
            if event.data == "[DONE]":
                if not self._finished:
                    words = "The server ended its stream without finishing the reply."
                    raise BackendFault("cut", words)
                self._said_goodbye = True
                return
            delta = read_chunk(event.data, k=self._top_logprobs)
            if delta.finish is not None:
                self._finished = True
                self._patience = self._loop.time() + USAGE_GRACE_S
            elif not self._finished and (delta.text or delta.reasoning or delta.tokens):
                self._patience = self._loop.time() + self._stall_s
            yield delta


def read_json(response: httpx.Response) -> Any:  # noqa: ANN401 - JSON is whatever the server sent
    """Decoded body, or None where it is not JSON."""
    try:
        return decode_json(response.text)
    except ValueError:
        return None


async def _read_whole(response: httpx.Response, base_url: str) -> httpx.Response:
    """Read an answer of a bounded size."""
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > MOST_BYTES:
            words = f"The server at {base_url} sent more than {MOST_BYTES:,} bytes in one answer."
            raise BackendFault("malformed", words)
    # Those of its headers that are read here; the body is decoded already.
    names = ("Content-Type", "Location", "Retry-After")
    headers = {name: response.headers[name] for name in names if name in response.headers}
    return httpx.Response(response.status_code, headers=headers, content=bytes(body))


def _refusal(response: httpx.Response) -> BackendFault:
    body = read_json(response)
    fault = error_fault(body, response.status_code)
    retry_after = response.headers.get("Retry-After", "")
    return BackendFault(
        fault.kind,
        f"{fault.words} (HTTP {response.status_code})",
        retry_after_s=float(retry_after) if retry_after.isdecimal() else None,
        raw=response.text if body is None else "",
    )


def _is_loopback(base_url: str) -> bool:
    try:
        host = httpx.URL(base_url).host
    except UNREACHABLE:
        return False
    return host in ("localhost", "::1") or host.startswith("127.")


def _trusts_nobody() -> ssl.SSLContext:
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _certificates() -> ssl.SSLContext:
    """Whom an https address may be: the usual authorities, or those that the environment names.

    It is made here because httpx would not look into the environment for a loopback address.
    """
    try:
        return httpx.create_ssl_context()
    except OSError as error:
        raise NoServerError(
            f"The certificates that SSL_CERT_FILE or SSL_CERT_DIR names cannot be read ({error}): "
            "name files that exist."
        ) from None


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__


def _unreachable(base_url: str, error: Exception) -> BackendFault:
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return BackendFault(
            "refused",
            f"The certificate of the server at {base_url} is not trusted ({_reason(error)}): if "
            "it is the server's own, name its file in the environment variable SSL_CERT_FILE.",
        )
    if isinstance(error, httpx.RemoteProtocolError):
        words = f"What listens at {base_url} hung up or does not speak HTTP ({_reason(error)})."
        return BackendFault("unreachable", words)
    return BackendFault("unreachable", f"No server answers at {base_url} ({_reason(error)}).")


def _no_answer(base_url: str, error: Exception, timeout_s: float) -> BackendFault:
    if isinstance(error, TimeoutError | httpx.ReadTimeout | httpx.WriteTimeout):
        words = f"The server at {base_url} took longer than {timeout_s:g} s to answer."
        return BackendFault("stalled", words)
    return _unreachable(base_url, error)
