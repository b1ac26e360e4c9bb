"""Figures, one module each: `python -m benchmarks.NAME` prints one JSON object on the last line."""
