"""The settings: names, types, ranges, defaults and help. The one place to add one.

A `title` is the range in words, where a pattern says it to machines only.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from .stop_rules import USUAL_ANSWERS, USUAL_TAU

Mode = Literal["tir", "blocks", "text"]
DialectChoice = Literal["auto", "fewshot", "fenced"]
PolicyChoice = Literal["weighted", "blocks", "majority", "votes-first"]
AnswerKind = Literal["integer", "expression", "choice", "text"]
_MODULE = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_MODULES = rf"^(?:\s*{_MODULE}\s*(?:,\s*{_MODULE}\s*)*)?\Z"
_BOUND = r"[+-]?\d{1,600}(?:\.\d{1,600})?"
_RANGE = rf"^\s*(?:{_BOUND}\s*\.\.\s*(?:{_BOUND})?|\.\.\s*{_BOUND})\s*\Z"
SandboxChoice = Literal["auto", "full+ns", "full", "nofs", "partial", "none", "best"]


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a run.

    Field names are the names everywhere: `--max-turns`, `TIR_MAX_TURNS`, `max_turns = 4` in the
    settings file, `solve(problem, max_turns=4)`.

    Examples
    --------
    >>> Config().samples
    8
    """

    base_url: Annotated[
        str | None,
        Meta(
            description="Address of the server's OpenAI-compatible API, for example "
            "http://127.0.0.1:8000/v1; or scripted:FILE, or echo. "
            "Default: the running embedded server."
        ),
    ] = None
    model: Annotated[
        str | None, Meta(description="Model to ask. Default: the first that the server lists.")
    ] = None
    api_key_env: Annotated[
        str,
        Meta(
            description="Name of the environment variable that holds the server's API key, in "
            "capital letters.",
            # Capitals only, because keys such as hf_… look like names otherwise.
            pattern=r"^[A-Z_][A-Z0-9_]*\Z",
            title="a variable's name",
        ),
    ] = "OPENAI_API_KEY"
    mode: Annotated[
        Mode,
        Meta(
            description="tir: text and code in turns; blocks: one reply, then its Python blocks "
            "are run in order; text: no code."
        ),
    ] = "tir"
    dialect: Annotated[
        DialectChoice,
        Meta(
            description="How the model is asked for code: fewshot (worked examples, for base and "
            "tiny models), fenced (chat with ```python blocks), or auto (by a probe)."
        ),
    ] = "auto"
    answer: Annotated[
        Annotated[AnswerKind, Meta()] | None,
        Meta(
            description="Kind of answer that the problem asks for; another one is no vote. "
            "choice: one letter from A to J. expression: mathematics, no words. text: anything. "
            "Default: any answer is a vote."
        ),
    ] = None
    range: Annotated[
        Annotated[str, Meta(pattern=_RANGE, title="LOW..HIGH, LOW.. or ..HIGH")] | None,
        Meta(
            description="Least and greatest answer that is possible, such as 0..99999, 1.. or "
            "..0.5; another one is no vote. Default: no bounds."
        ),
    ] = None
    mod: Annotated[
        Annotated[int, Meta(ge=2, le=2**53 - 1)] | None,
        Meta(
            description="Modulus N of a problem that asks for a remainder: only integers from 0 to "
            "N - 1 are votes, and no other is reduced to one. Default: none."
        ),
    ] = None
    samples: Annotated[int, Meta(ge=1, le=1024, description="Attempts to plan.")] = 8
    parallel: Annotated[
        int,
        Meta(
            ge=1,
            le=64,
            description="Most attempts at once; ahead says how many of them are in flight.",
        ),
    ] = 16
    ahead: Annotated[
        float,
        Meta(
            ge=1,
            le=64,
            description="Attempts in flight for each that the stop rules need at the least: 1 "
            "wastes none, 2 takes least time, 64 starts all that parallel lets.",
        ),
    ] = 1.25
    sandbox: Annotated[
        SandboxChoice,
        Meta(
            description="How well the operating system must confine the code that the model "
            "writes. auto: files, network and other processes out of its reach (full+ns or full), "
            "or no run at all. nofs: it cannot open any file. partial: at least some of that. "
            "none: limits on time and memory only. best: the best that this machine offers, "
            "whatever that is. `tir status` says which."
        ),
    ] = "auto"
    kernel: Annotated[
        Annotated[str, Meta(pattern=r"^[A-Za-z0-9._-]+\Z", title="a kernel's name")] | None,
        Meta(
            description="Installed Jupyter kernel to run the code in, as `jupyter kernelspec list` "
            "names it; how well it is confined is then that kernel's matter. "
            "Default: our own kernels, in the sandbox."
        ),
    ] = None
    kernels: Annotated[
        int,
        Meta(
            ge=1,
            le=256,
            description="Most child kernels in use at once. They are started ahead, up to two for "
            "each attempt in flight, as far as memory_share allows.",
        ),
    ] = 64
    memory: Annotated[
        int,
        Meta(
            ge=64,
            le=1_048_576,
            description="MiB of memory that the code of one kernel may take beyond the libraries "
            "that it starts with.",
        ),
    ] = 1024
    memory_share: Annotated[
        float,
        Meta(
            gt=0,
            le=0.9,
            description="Share of the machine's memory that all child kernels together may take; "
            "when they pass it the largest is ended.",
        ),
    ] = 0.5
    write: Annotated[
        bool,
        Meta(
            description="Give each kernel a folder of its own to write in, 64 MB at most; without, "
            "code can write no file."
        ),
    ] = True
    preload: Annotated[
        str,
        Meta(
            pattern=_MODULES,
            title="module names with commas between them",
            description="Modules to load once for all kernels, beside numpy, scipy, sympy, mpmath "
            "and networkx, with commas between them: no kernel then waits for their import.",
        ),
    ] = ""
    temperature: Annotated[
        Annotated[float, Meta(ge=0, le=2)] | None,
        Meta(description="Default: 0.7, and 1.0 for reasoning models."),
    ] = None
    top_p: Annotated[float, Meta(gt=0, le=1, description="Nucleus sampling.")] = 1.0
    min_p: Annotated[
        float,
        Meta(ge=0, le=1, description="Least probability relative to the most likely token."),
    ] = 0.0
    max_tokens_turn: Annotated[
        Annotated[int, Meta(ge=16, le=1_000_000)] | None,
        Meta(
            description="Most tokens of one turn. Default: 512 with worked examples, 8,192 in chat."
        ),
    ] = None
    max_tokens: Annotated[
        int, Meta(ge=16, le=1_000_000, description="Most tokens of one attempt.")
    ] = 32768
    max_turns: Annotated[int, Meta(ge=1, le=64, description="Most turns of one attempt.")] = 8
    seed: Annotated[
        Annotated[int, Meta(ge=0, le=2**53 - 1)] | None,
        Meta(description="Seed of the run. Default: drawn, and recorded."),
    ] = None
    timeout: Annotated[
        float, Meta(ge=0.1, le=30, description="Seconds that one code cell may run.")
    ] = 10.0
    deadline: Annotated[
        float, Meta(ge=1, le=86_400, description="Seconds that the whole run may take.")
    ] = 600.0
    stall: Annotated[
        float,
        Meta(ge=1, le=3600, description="Seconds without a token after which a stream is lost."),
    ] = 120.0
    retries: Annotated[
        int, Meta(ge=0, le=10, description="Times that a lost turn of an attempt is asked again.")
    ] = 2
    verify: Annotated[
        bool,
        Meta(
            description="Replay an attempt's code in a fresh kernel before its answer counts "
            "as code-verified."
        ),
    ] = True
    w_code: Annotated[float, Meta(ge=1, le=10, description="Weight of a code-verified answer.")] = (
        2.0
    )
    top_logprobs: Annotated[
        int,
        Meta(
            ge=0, le=20, description="Log-probabilities a token, for the entropy; 0 asks for none."
        ),
    ] = 5
    entropy_window: Annotated[
        Annotated[int, Meta(ge=1, le=1_000_000)] | None,
        Meta(
            description="Last tokens of an attempt whose mean entropy H is taken, such as 1024. "
            "H is a lower bound: beyond the top_logprobs most likely tokens all is one outcome. "
            "Default: all that it generated."
        ),
    ] = None
    policy: Annotated[
        PolicyChoice,
        Meta(
            description="How votes are counted. weighted: by w_code, where code-verified, times "
            "exp(-H), H the mean entropy of the attempt's tokens. majority: each counts 1. "
            "votes-first: the count decides, and among equals the weight. blocks: the text's "
            "answer counts 1, and the final value of each code block w_code, where code-verified."
        ),
    ] = "weighted"
    max_blocks: Annotated[
        int,
        Meta(
            ge=1,
            le=64,
            description="Most code blocks of one attempt that are run in the mode blocks, and that "
            "vote under the policy blocks.",
        ),
    ] = 8
    stop: Annotated[
        str,
        Meta(
            title="rules such as share:0.75 or beta:0.95,lead:3, or none",
            description="When to stop before all attempts are done, by any of the rules named: "
            "share:S, the leader's share of the finished attempts is above S (share alone takes "
            "tau); planned:S, its share of the planned ones is; beta:P, it is the majority of the "
            "first two answers with a probability above P; lead:K, it is K attempts ahead; "
            "window:W, the last W attempts all say it; usual, share and beta:0.97, and share alone "
            "where tau or min_answers asks for more than usual. Always, and with none only: when "
            "it cannot be caught.",
        ),
    ] = "usual"
    tau: Annotated[
        float,
        Meta(ge=0.5, le=1, description="Share of the rule share, where it has no number."),
    ] = USUAL_TAU
    min_answers: Annotated[
        int, Meta(ge=1, le=1024, description="Answers that the rule share waits for.")
    ] = USUAL_ANSWERS
