"""The counters that /metrics shows, in Prometheus' text format, under vLLM's names."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_KV_CACHE_CONTEXTS = 8  # the cache that we pretend to have, in full contexts


class Metrics:
    """What is running and what was generated since the server started."""

    def __init__(self, model: str, max_model_len: int) -> None:
        self.running = 0
        self.waiting = 0
        self.prompt_tokens = 0
        self.generation_tokens = 0
        self._model = model
        self._cached_tokens = 0
        self._cache_size = _KV_CACHE_CONTEXTS * max_model_len

    @contextlib.contextmanager
    def waiting_request(self) -> Iterator[None]:
        """Count a request as waiting while it is in here."""
        self.waiting += 1
        try:
            yield
        finally:
            self.waiting -= 1

    @contextlib.contextmanager
    def running_request(self, prompt_tokens: int) -> Iterator[None]:
        """Count a request as running while it is in here, however it leaves."""
        self.running += 1
        self.prompt_tokens += prompt_tokens
        self._cached_tokens += prompt_tokens
        try:
            yield
        finally:
            self.running -= 1
            self._cached_tokens -= prompt_tokens

    def text(self) -> str:
        """The page that /metrics serves."""
        usage = min(self._cached_tokens / self._cache_size, 1.0)
        return "".join(
            (
                self._metric("num_requests_running", "gauge", self.running),
                self._metric("num_requests_waiting", "gauge", self.waiting),
                self._metric("kv_cache_usage_perc", "gauge", usage),
                self._metric("prompt_tokens_total", "counter", self.prompt_tokens),
                self._metric("generation_tokens_total", "counter", self.generation_tokens),
            ),
        )

    def _metric(self, name: str, kind: str, value: float) -> str:
        family = f"vllm:{name.removesuffix('_total')}"
        model = self._model.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return (
            f"# HELP {family} As vLLM names it, of the scripted server.\n"
            f"# TYPE {family} {kind}\n"
            f'vllm:{name}{{engine="0",model_name="{model}"}} {float(value)}\n'
        )
