"""The static bundle: one run in every form that a saved notebook may be read in. Pure."""

from __future__ import annotations

import base64
from typing import Any

import msgspec

from jupyterlab_tir.viewing.wire import MIME, Snapshot, to_page

from .html_run import run_html
from .picture import WIDTH, run_picture
from .publishing import Bundle
from .text import run_markdown, run_text
from .wording import alt_text

PNG = "image/png"


def static_bundle(run: Snapshot) -> Bundle:
    """Our own JSON for our renderer; HTML, Markdown, a picture and text for everyone else."""
    return {
        MIME: to_page(run),
        "text/html": run_html(run),
        "text/markdown": run_markdown(run),
        PNG: base64.b64encode(run_picture(run)).decode("ascii"),
        "text/plain": run_text(run),
    }


def metadata_of(bundle: Bundle) -> dict[str, Any]:
    """What belongs beside a bundle in a notebook: its picture's text and width in pixels."""
    if PNG not in bundle or MIME not in bundle:
        return {}
    run = msgspec.convert(bundle[MIME], Snapshot)
    return {PNG: {"alt": alt_text(run), "width": WIDTH}}
