"""What can go wrong between a server and us, each kind one small class.

A fault sees the reply before it is sent, as steps, and gives back the reply that is sent instead;
some spoil the log-probabilities or the usage. A new kind is a class in one of these modules and a
name in `Fault`. Nothing here may touch a socket or a clock.
"""

from __future__ import annotations

from typing import get_args

from jupyterlab_tir.backend.scripted.faults.base import FaultBase
from jupyterlab_tir.backend.scripted.faults.logprobs import (
    ClampedLogprobs,
    CollapsedLogprobs,
    NanLogprobs,
)
from jupyterlab_tir.backend.scripted.faults.protocol import (
    BadJson,
    Comments,
    Empty,
    NoDone,
    NoUsage,
    SseError,
)
from jupyterlab_tir.backend.scripted.faults.transport import (
    Cut,
    Http,
    Raw,
    Silent,
    SplitBytes,
    Stall,
)

Fault = (
    Http
    | Cut
    | Stall
    | Silent
    | SplitBytes
    | Raw
    | NoDone
    | NoUsage
    | BadJson
    | SseError
    | Comments
    | Empty
    | NanLogprobs
    | ClampedLogprobs
    | CollapsedLogprobs
)

FAULT_KINDS: tuple[str, ...] = tuple(str(kind.__struct_config__.tag) for kind in get_args(Fault))

__all__ = ["FAULT_KINDS", "Fault", "FaultBase"]
