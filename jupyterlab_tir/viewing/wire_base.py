"""What all structs of the wire have in common."""

from __future__ import annotations

import msgspec


class Wire(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What all parts have in common: names as in TypeScript, defaults left out."""
