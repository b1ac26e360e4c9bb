"""Settings of the property tests: a shared machine is slow at times, which is no failure."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("tir", deadline=None)
settings.load_profile("tir")
