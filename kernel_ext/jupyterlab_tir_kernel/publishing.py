"""Sending a bundle to the front end, as IPython's own display does. It makes no bundle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import IPython.display

Bundle = dict[str, Any]
"""Contents by MIME type, as a notebook's output holds them."""

# IPython's functions are untyped.
_display: Callable[..., object] = IPython.display.display
_update: Callable[..., object] = IPython.display.update_display


def publish(bundle: Bundle, *, display_id: str | None = None) -> None:
    """Add an output to the cell that is running; one with an id can be replaced later."""
    _display(bundle, raw=True, display_id=display_id)


def replace(bundle: Bundle, *, display_id: str) -> None:
    """Replace the output that was published under an id."""
    _update(bundle, raw=True, display_id=display_id)
