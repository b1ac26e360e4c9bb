"""What the engine, the warm process and its kernels tell one another, as JSON in single packets.

The *control* socket joins the engine and a warm process: the engine sends `WarmStart` once, the
warm process answers `WarmReady` or `Failed`, and from then on each packet is `FORK` with the far
end of a *lease* attached. The lease belongs to one kernel: the engine puts a `KernelRequest` into
it, which only the forked child reads (it holds the key that signs the kernel's messages, and no
later fork may inherit that); back come `Forked` with a pidfd attached, `KernelReady` or `Failed`,
and `Exited`. Closing the lease kills the kernel.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from ..box import Box

FORK: Final = b"fork"
LARGEST_PACKET_BYTES: Final = 256 * 1024


class WarmSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How a warm process is made; two kernels with equal settings can share one.

    Attributes
    ----------
    box
        The box of its kernels; `readable` and `base_bytes` are filled in by the warm process.
    preload
        Modules to import beside the usual ones.
    keep_chars
        Characters of stdout, stderr and of a value that kernels send at each end.
    hash_seed
        Seed of the hashes of strings, which forks share.
    """

    box: Box
    preload: tuple[str, ...]
    keep_chars: int
    hash_seed: int


class WarmStart(msgspec.Struct, frozen=True, kw_only=True):
    """The first packet: the settings, and the folder that holds the kernels' own folders."""

    settings: WarmSettings
    folder: str
    engine_pid: int


class WarmReady(msgspec.Struct, frozen=True, tag="ready"):
    """The warm process can fork.

    Attributes
    ----------
    boot_s
        Seconds that it took to import everything.
    missing
        Modules that are not there, each with the reason.
    """

    boot_s: float
    missing: dict[str, str]


class KernelRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One kernel to be: the content of its connection file, and its folder."""

    connection: dict[str, Any]
    folder: str


class Forked(msgspec.Struct, frozen=True, tag="forked"):
    """The child exists; its pidfd is attached."""

    pid: int


class KernelReady(msgspec.Struct, frozen=True, tag="kernel-ready"):
    """Its sockets are bound and its box is closed, which took `box_ms`."""

    box_ms: float


class Exited(msgspec.Struct, frozen=True, tag="exited"):
    """The child ended and was reaped: its exit code, or minus the signal that ended it."""

    code: int


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """What was asked for could not be done, in words."""

    words: str


WarmAnswer = WarmReady | Failed
LeaseMessage = Forked | KernelReady | Exited | Failed

encode = msgspec.json.Encoder().encode
decode_start = msgspec.json.Decoder(WarmStart).decode
decode_answer = msgspec.json.Decoder(WarmAnswer).decode
decode_request = msgspec.json.Decoder(KernelRequest).decode
decode_lease = msgspec.json.Decoder(LeaseMessage).decode
