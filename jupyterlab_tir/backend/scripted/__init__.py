"""The scripted backend: vLLM's wire without a model.

Plays recorded or written replies, with their timing and with faults, on a real HTTP server on
loopback; or sends every problem back (`echo`). Demos, documentation and tests run on it. It may
not guess: what a script does not say is refused with a sentence, never invented.
"""

from __future__ import annotations

from jupyterlab_tir.backend.scripted.script import Script, echo_script, load_script
from jupyterlab_tir.backend.scripted.server import ReceivedRequest, ScriptedServer, serve_forever

__all__ = [
    "ReceivedRequest",
    "Script",
    "ScriptedServer",
    "echo_script",
    "load_script",
    "serve_forever",
]
