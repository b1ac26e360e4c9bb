"""What a run needs before its first sample: the sandbox, the server, and that the problem fits."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from ..backend.dialects import Conversation
from ..backend.discovery import Backend, connect
from ..backend.faults import BackendFault
from ..config import ResolvedConfig
from ..errors import NoServerError, UsageError
from ..sandbox import ChildKernels
from .asking import LEAST_TOKENS
from .context import RunContext
from .earlier import Earlier
from .kernels import enter_kernels

ContextOf = Callable[[Backend, ChildKernels | None], RunContext]


async def prepare(
    stack: contextlib.AsyncExitStack,
    resolved: ResolvedConfig,
    context_of: ContextOf,
    *,
    deadline: float,
    earlier: Earlier | None,
) -> RunContext:
    """Find the sandbox and the server, and what the server is.

    Parameters
    ----------
    stack
        Ends what is entered here.
    context_of
        Makes the run's context.
    deadline
        The loop's time at which the run is over.
    earlier
        The run that goes on, if one does: a server that it cannot go on with is refused.

    Raises
    ------
    NoServerError
        If no server can be used.
    UsageError
        If the problem does not fit into the model's context, or the earlier run is not gone on with
        in this way.
    SandboxError
        If the machine cannot confine the code as the settings ask.
    """
    # First, because it takes a moment and needs no server.
    kernels = await enter_kernels(stack, resolved.config)
    try:
        async with asyncio.timeout_at(deadline):
            try:
                backend = await stack.enter_async_context(connect(resolved))
            except NoServerError:
                if earlier is not None:
                    await earlier.name_what_is_there(
                        resolved, lambda other: context_of(other, kernels)
                    )
                raise
            context = context_of(backend, kernels)
            if earlier is not None:
                earlier.require_same(context)
            context.opening_tokens = await _opening_tokens(context)
    except TimeoutError:
        seconds = resolved.config.deadline
        raise NoServerError(
            f"The server did not say what it is within the run's {seconds:g} s: "
            "look at its log, or give the run more time with --deadline."
        ) from None
    return context


async def _opening_tokens(context: RunContext) -> int | None:
    """Count the first request's tokens; None where the server does not count.

    Raises
    ------
    UsageError
        If the model cannot hold it: better said before anything is asked.
    """
    backend, info = context.backend, context.backend.info
    if info.context is None or not info.tokenizes:
        return None
    body = backend.dialect.prompt(Conversation(context.problem.text), context.config.mode)
    try:
        size = await backend.client.count_tokens({"model": info.model, **body})
    except BackendFault as fault:
        if fault.kind != "context":
            words = f"The server at {info.base_url} failed: {fault.words}"
            raise NoServerError(words) from None
        size = info.context + 1
    if size + LEAST_TOKENS > info.context:
        raise UsageError(
            f"The problem with its instructions takes {size:,} tokens or more, and {info.model} "
            f"holds {info.context:,}: shorten it, or use a model with a longer context."
        )
    return size
