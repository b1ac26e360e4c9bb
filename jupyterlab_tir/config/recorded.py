"""Which settings of a recorded run may be others later. Pure; loaded by every command."""

from __future__ import annotations

FREE = frozenset(
    {
        "base_url", "api_key_env", "samples", "parallel", "ahead", "kernels", "memory",
        "memory_share", "deadline", "stall", "retries", "timeout", "stop", "tau", "min_answers",
        "sandbox", "preload", "kernel", "write",
    }
)  # fmt: skip
"""Those that may be others when a run goes on: its votes mean the same."""

REVOTING = ("policy", "stop", "w_code", "tau", "min_answers", "entropy_window")
"""Those that may be others when its votes are counted again."""

CONTINUING_HELP = {
    "samples": "Attempts to add, such as +16, or of the whole plan, such as 32. Default: the rest "
    "of the run's plan, where it has one.",
    "base_url": "Address of the server. Default: the one of the record; where that was the "
    "embedded server, the one that `tir solve` would ask.",
    "deadline": "Seconds that this part of the run may take. [a number from 1 to 86,400]",
    "stop": "When to stop before all attempts are done; see `tir solve --help`. Default: none, "
    "since more attempts were asked for: only when the leader cannot be caught.",
}
"""Help of settings that mean something else where a run goes on."""

REVOTING_HELP = {
    "policy": "How votes are counted: weighted, blocks, majority or votes-first.",
    "stop": "When to stop, such as share:0.75 or beta:0.95,lead:3, or none. Of a run that was "
    "continued the rules recorded last hold for its last part; rules given here hold for all.",
    "w_code": "Weight of a code-verified answer, from 1 to 10.",
    "tau": "Share of the rule share, where it has no number.",
    "min_answers": "Answers that the rule share waits for.",
    "entropy_window": "Last tokens of an attempt whose mean entropy weighs its vote: 16, 32, 64, "
    "and so on, as far as the record has them; more than any attempt has is all of them.",
}
"""Help of settings where votes are counted again: as recorded, if they are not given."""
