"""The static bundle: one run in every form that a saved notebook may be read in. Pure."""

from __future__ import annotations

from .html import run_html
from .publishing import Bundle
from .static_run import MIME, StaticRun
from .text import run_markdown, run_text


def static_bundle(run: StaticRun) -> Bundle:
    """Our own JSON for our renderer; HTML, Markdown and text for everyone else."""
    return {
        MIME: run.to_builtins(),
        "text/html": run_html(run),
        "text/markdown": run_markdown(run),
        "text/plain": run_text(run),
    }
