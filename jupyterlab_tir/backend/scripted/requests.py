"""The bodies of requests: read, checked and refused as vLLM does it.

Pure: takes bytes, gives typed requests or raises `RefusedRequest`. It may not look at the script
beyond the server's settings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from jupyterlab_tir.backend.scripted.refusal import RefusedRequest, invalid_parameter

if TYPE_CHECKING:
    from jupyterlab_tir.backend.scripted.script import ServerSettings
    from jupyterlab_tir.backend.scripted.tokens import Vocabulary

MOST_LOGPROBS = 20
DEFAULT_COMPLETION_TOKENS = 16

_NO_TEMPLATE = (
    "As of transformers v4.44, default chat template is no longer allowed, "
    "so you must provide a chat template if the tokenizer does not define one."
)


class StreamOptions(msgspec.Struct, frozen=True):
    """What a stream carries besides the chunks."""

    include_usage: bool | None = False
    continuous_usage_stats: bool | None = False


class Message(msgspec.Struct, frozen=True):
    """One message of a chat; content may come in parts."""

    role: str
    content: str | list[dict[str, Any]] | None = None

    @property
    def text(self) -> str:
        """The content as one text."""
        if isinstance(self.content, list):
            return "".join(str(part.get("text", "")) for part in self.content)
        return self.content or ""


class _Common(msgspec.Struct, frozen=True, kw_only=True):
    model: str | None = None
    max_tokens: int | None = None
    stop: str | list[str] | None = None
    include_stop_str_in_output: bool = False
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    return_token_ids: bool | None = None
    return_tokens_as_token_ids: bool | None = None
    n: int | None = 1
    temperature: float | None = None
    top_p: float | None = None
    min_p: float | None = None
    seed: int | None = None

    @property
    def stops(self) -> tuple[str, ...]:
        """The stop strings."""
        if self.stop is None:
            return ()
        return (self.stop,) if isinstance(self.stop, str) else tuple(self.stop)

    @property
    def include_usage(self) -> bool:
        """Whether a stream ends with a usage chunk."""
        return bool(self.stream_options and self.stream_options.include_usage)


class CompletionRequest(_Common, frozen=True, kw_only=True):
    """Body of /v1/completions."""

    prompt: str | list[str | int] | None = None
    logprobs: int | None = None
    echo: bool | None = False

    @property
    def top_count(self) -> int | None:
        """How many log-probabilities a token are wanted; None for no log-probabilities."""
        return self.logprobs


class ChatRequest(_Common, frozen=True, kw_only=True):
    """Body of /v1/chat/completions."""

    messages: list[Message]
    logprobs: bool | None = False
    top_logprobs: int | None = 0
    max_completion_tokens: int | None = None
    add_generation_prompt: bool = True
    continue_final_message: bool = False

    @property
    def top_count(self) -> int | None:
        """How many log-probabilities a token are wanted; None for no log-probabilities."""
        return (self.top_logprobs or 0) if self.logprobs else None


class TokenizeRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Body of /tokenize, for a prompt or for messages."""

    model: str | None = None
    prompt: str | None = None
    messages: list[Message] | None = None
    add_generation_prompt: bool = True
    continue_final_message: bool = False
    return_token_strs: bool | None = False


class DetokenizeRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Body of /detokenize."""

    model: str | None = None
    tokens: list[int]


Body = TypeVar("Body", CompletionRequest, ChatRequest, TokenizeRequest, DetokenizeRequest)


def decode_body(raw: bytes, kind: type[Body], settings: ServerSettings) -> Body:
    """Typed request from the bytes of its body.

    Raises
    ------
    RefusedRequest
        400 for a body that is not JSON or has a field of the wrong type, 404 for an unknown model.
    """
    try:
        request = msgspec.json.decode(raw, type=kind)
    except msgspec.ValidationError as error:
        raise _invalid_body(str(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        message = f"1 validation error:\n  JSON decode error: {error}"
        raise RefusedRequest(400, message, "Bad Request", "body") from error
    if request.model is not None and request.model != settings.model:
        raise RefusedRequest(
            404,
            f"The model `{request.model}` does not exist. Available models: `{settings.model}`.",
            "NotFoundError",
            "model",
        )
    return request


def check_generation(request: CompletionRequest | ChatRequest) -> None:
    """Refuse the values that vLLM refuses, and what no script can play."""
    count = request.top_count
    if isinstance(request, ChatRequest) and request.top_logprobs and not request.logprobs:
        raise invalid_parameter(
            "top_logprobs",
            "when using `top_logprobs`, `logprobs` must be set to true.",
            request.top_logprobs,
        )
    if count is not None and count > MOST_LOGPROBS:
        raise invalid_parameter(
            "logprobs",
            f"Requested sample logprobs of {count}, "
            f"which is greater than max allowed: {MOST_LOGPROBS}",
            count,
        )
    if count is not None and count < 0:
        name = "top_logprobs" if isinstance(request, ChatRequest) else "logprobs"
        raise invalid_parameter(name, f"`{name}` must be a positive value.", count)
    if request.stream_options is not None and not request.stream:
        raise RefusedRequest(
            400,
            "Stream options can only be defined when `stream=True`. (parameter=stream_options)",
            param="stream_options",
        )
    wanted = wanted_tokens(request)
    if wanted is not None and wanted < 1:
        raise invalid_parameter(
            "max_tokens", f"max_tokens must be at least 1, got {wanted}.", wanted
        )
    if any(not stop for stop in request.stops):
        raise RefusedRequest(400, "stop cannot contain an empty string.")
    if request.temperature is not None and request.temperature < 0:
        raise invalid_parameter(
            "temperature",
            f"temperature must be non-negative, got {request.temperature}.",
            request.temperature,
        )
    if request.n not in {None, 1} or getattr(request, "echo", False):
        raise RefusedRequest(400, "The scripted server plays one reply a request: n=1, no echo.")


def wanted_tokens(request: CompletionRequest | ChatRequest) -> int | None:
    """The most tokens that the request wants; None leaves it to the context length."""
    if isinstance(request, ChatRequest):
        if request.max_completion_tokens is not None:
            return request.max_completion_tokens
        return request.max_tokens
    return DEFAULT_COMPLETION_TOKENS if request.max_tokens is None else request.max_tokens


def prompt_text(
    request: CompletionRequest | ChatRequest | TokenizeRequest,
    settings: ServerSettings,
    vocabulary: Vocabulary,
) -> str:
    """The prompt as the model sees it; messages are rendered with a template of our own.

    Raises
    ------
    RefusedRequest
        400 when there is no prompt, several, or a chat without a chat template.
    """
    if not isinstance(request, CompletionRequest) and request.messages is not None:
        if not settings.chat_template:
            raise RefusedRequest(400, _NO_TEMPLATE)
        return _rendered(request.messages, generate=_opens_a_turn(request))
    prompt = None if isinstance(request, ChatRequest) else request.prompt
    if not prompt:
        raise RefusedRequest(
            400,
            "Either prompt or prompt_embeds must be provided and non-empty. (parameter=prompt)",
            param="prompt",
        )
    if isinstance(prompt, str):
        return prompt
    if isinstance(prompt[0], int):
        return vocabulary.decode(part for part in prompt if isinstance(part, int))
    if len(prompt) > 1:
        raise RefusedRequest(400, "The scripted server plays one prompt a request.", param="prompt")
    return str(prompt[0])


def token_limit(
    request: CompletionRequest | ChatRequest,
    prompt_tokens: int,
    settings: ServerSettings,
) -> int:
    """How many tokens the reply may have.

    Raises
    ------
    RefusedRequest
        400 when the prompt and what was asked for exceed the context length.
    """
    wanted = wanted_tokens(request)
    room = settings.max_model_len - prompt_tokens
    if (wanted or 1) > room:
        asked = wanted or 0
        raise invalid_parameter(
            "input_tokens",
            f"This model's maximum context length is {settings.max_model_len} tokens. "
            f"However, you requested {asked} output tokens and your prompt contains at least "
            f"{prompt_tokens} input tokens, for a total of at least {asked + prompt_tokens} "
            "tokens. Please reduce the length of the input prompt or the number of requested "
            "output tokens.",
            prompt_tokens,
        )
    return room if wanted is None else wanted


def _invalid_body(complaint: str) -> RefusedRequest:
    reason, _, place = complaint.partition(" - at ")
    param = f"body{place.strip('`').removeprefix('$')}"
    return RefusedRequest(
        400,
        f"1 validation error:\n  {reason} at {param}",
        "Bad Request",
        param,
    )


def _opens_a_turn(request: ChatRequest | TokenizeRequest) -> bool:
    return request.add_generation_prompt and not request.continue_final_message


def _rendered(messages: list[Message], *, generate: bool) -> str:
    turns = [f"<|im_start|>{message.role}\n{message.text}<|im_end|>\n" for message in messages]
    return "".join(turns) + ("<|im_start|>assistant\n" if generate else "")
