"""The script file: what the scripted server is, and what it replies to which problem.

The format is described for users in docs/scripted.md. Files are validated here, completely, when
they are read; whatever a `Script` holds can be played.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from jupyterlab_tir.backend.scripted.faults import FAULT_KINDS, Fault
from jupyterlab_tir.backend.scripted.faults.base import Milliseconds, Positive
from jupyterlab_tir.errors import UsageError

SCRIPT_VERSION: Literal[1] = 1


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of the parts of a script: frozen, and a misspelt field is an error."""


class ServerSettings(Part, frozen=True):
    """What the scripted server says about itself, and the timing of turns that name none."""

    model: Annotated[str, Meta(min_length=1)] = "scripted"
    max_model_len: Positive = 32768
    vllm_version: str = "0.32.0"
    api_key: str | None = None
    chat_template: bool = True
    kind: Literal["vllm", "other"] = "vllm"
    chat_follows_code: bool = True
    max_num_seqs: Positive = 256
    first_token_ms: Milliseconds = 0.0
    token_ms: Milliseconds = 0.0


class ToolCall(Part, frozen=True):
    """A call that the model makes; `arguments` is the string sent, valid JSON or not."""

    name: str
    arguments: str
    id: str | None = None


class Turn(Part, frozen=True):
    """One reply of the model.

    `entropy` is in nats; null means 0.3, and "none" sends null instead of log-probabilities.
    `finish` null means "stop", or "tool_calls" when there are any.
    """

    text: str = ""
    reasoning: str | None = None
    reasoning_field: Literal["reasoning", "reasoning_content", "both"] = "reasoning"
    finish: str | None = None
    stop_reason: int | str | None = None
    first_token_ms: Milliseconds | None = None
    token_ms: Milliseconds | None = None
    entropy: Annotated[float, Meta(ge=0, le=100)] | Literal["none"] | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    result_contains: str | None = None
    echo: bool = False
    fault: Fault | tuple[Fault, ...] | None = None

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The faults, in the order in which they are applied."""
        if self.fault is None:
            return ()
        return self.fault if isinstance(self.fault, tuple) else (self.fault,)


class Attempt(Part, frozen=True):
    """The turns of one attempt at a sample; a retry is the next attempt."""

    turns: Annotated[tuple[Turn, ...], Meta(min_length=1)]


class Sample(Part, frozen=True):
    """One sample: its turns, or several attempts of which the last one stays."""

    turns: tuple[Turn, ...] = ()
    attempts: tuple[Attempt, ...] = ()

    def turns_of(self, attempt: int) -> tuple[Turn, ...]:
        """Turns of an attempt (from 0); past the last one, the last one's."""
        if not self.attempts:
            return self.turns
        return self.attempts[min(attempt, len(self.attempts) - 1)].turns


class ScriptedProblem(Part, frozen=True):
    """The samples for problems whose text contains a phrase; "" fits every problem."""

    contains: str
    samples: Annotated[tuple[Sample, ...], Meta(min_length=1)]


class Script(Part, frozen=True, kw_only=True):
    """A whole script."""

    version: Literal[1]
    server: ServerSettings = ServerSettings()
    problems: Annotated[tuple[ScriptedProblem, ...], Meta(min_length=1)]


def load_script(path: str | Path) -> Script:
    """Read and check a script file.

    Raises
    ------
    UsageError
        When the file cannot be read or is not a script; the message names the place.
    """
    where = Path(path).expanduser()
    try:
        data = where.read_bytes()
    except OSError as error:
        raise UsageError(
            f"The script {where} cannot be read ({error.strerror}): "
            "name an existing JSON file, or `echo`.",
        ) from error
    return parse_script(data, str(where))


def parse_script(data: bytes | str, name: str = "given") -> Script:
    """Check a script given as JSON text; see `load_script`."""
    raw = data.encode() if isinstance(data, str) else data
    try:
        script = msgspec.json.decode(raw, type=Script)
    except msgspec.ValidationError as error:
        raise UsageError(f"The script {name} is not valid: {_explained(str(error))}.") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(
            f"The script {name} is not JSON: {_located(str(error), raw)}.",
        ) from error
    for number, problem in enumerate(script.problems):
        for index, sample in enumerate(problem.samples):
            complaint = _complaint(sample)
            if complaint:
                raise UsageError(
                    f"The script {name} is not valid: "
                    f"problems[{number}].samples[{index}] {complaint}.",
                )
    return script


def echo_script() -> Script:
    """The script that sends every problem back, so that the wire can be seen without a model."""
    turn = Turn(text="The problem reads: ", echo=True, entropy=0.5)
    return Script(
        version=SCRIPT_VERSION,
        server=ServerSettings(model="echo"),
        problems=(ScriptedProblem("", (Sample((turn,)),)),),
    )


def _complaint(sample: Sample) -> str | None:
    if bool(sample.turns) == bool(sample.attempts):
        return 'needs either "turns" or "attempts", with at least one turn in it'
    for attempt in sample.attempts or (Attempt(sample.turns),):
        if attempt.turns[0].result_contains is not None:
            return (
                'has "result_contains" in its first turn, before any code was run: '
                "put it into the turn that follows the code"
            )
    return None


def _explained(message: str) -> str:
    reason, _, place = message.partition(" - at ")
    where = place.strip("`").removeprefix("$").removeprefix(".")
    if where == "version":
        return f"version must be {SCRIPT_VERSION}, the only one that this release reads"
    reason = reason[:1].lower() + reason[1:]
    if where.endswith("kind") and ".fault" in where:
        reason += f" (the kinds are {', '.join(FAULT_KINDS)})"
    return f"{where}: {reason}" if where else reason


def _located(message: str, raw: bytes) -> str:
    found = re.search(r"\(byte (\d+)\)", message)
    if not found:
        return message[:1].lower() + message[1:]
    before = raw[: int(found[1])]
    line = before.count(b"\n") + 1
    column = len(before) - before.rfind(b"\n")
    reason = message[: found.start()].strip().removeprefix("JSON is malformed: ")
    return f"line {line}, column {column}: {reason}"
