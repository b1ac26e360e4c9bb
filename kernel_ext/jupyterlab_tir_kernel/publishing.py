"""Sending a bundle to the front end, as IPython's own display does. It makes no bundle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import IPython.display

Bundle = dict[str, Any]
"""Contents by MIME type, as a notebook's output holds them."""

# IPython's function is untyped.
_display: Callable[..., object] = IPython.display.display


def publish(bundle: Bundle) -> None:
    """Add an output to the cell that is running."""
    _display(bundle, raw=True, metadata=_metadata(bundle))


def _metadata(bundle: Bundle) -> Bundle:
    if "image/png" not in bundle:
        return {}
    from .bundle import metadata_of  # noqa: PLC0415 - what makes a picture is loaded by then

    return metadata_of(bundle)
