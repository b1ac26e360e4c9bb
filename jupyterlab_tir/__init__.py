"""Solve and check mathematics with many attempts that reason in text and Python, and vote."""

from ._version import __version__

__all__ = ["__version__"]
