"""The numbers that a child sends with the reply to a cell, and reading them without trust.

They travel as one entry of the reply's `payload` list, so that the child stays a Jupyter kernel to
every client, and any other kernel, which sends none, can be used.
"""

from __future__ import annotations

from typing import Final, TypedDict

CELL_REPORT: Final = "jupyterlab_tir.cell"


class CellReport(TypedDict, total=False):
    """One entry of `payload`; counts in characters and bytes.

    As it arrives any of them may be missing; `read_report` returns all.
    """

    source: str
    out_of_memory: bool
    stdout_cut: int
    stderr_cut: int
    value_cut: int
    peak_memory_bytes: int | None


def read_report(payload: object) -> CellReport:
    """Return the report in a reply's payload; what is missing or malformed reads as nothing.

    Examples
    --------
    >>> read_report([{"source": "jupyterlab_tir.cell", "stdout_cut": -1}])["stdout_cut"]
    0
    """
    sent: dict[str, object] = {}
    if isinstance(payload, list):
        for entry in payload:
            if isinstance(entry, dict) and entry.get("source") == CELL_REPORT:
                sent = entry
    return CellReport(
        source=CELL_REPORT,
        out_of_memory=sent.get("out_of_memory") is True,
        stdout_cut=_count(sent.get("stdout_cut")) or 0,
        stderr_cut=_count(sent.get("stderr_cut")) or 0,
        value_cut=_count(sent.get("value_cut")) or 0,
        peak_memory_bytes=_count(sent.get("peak_memory_bytes")),
    )


def _count(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63:
        return value
    return None
