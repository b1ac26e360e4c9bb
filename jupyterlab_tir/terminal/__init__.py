"""The terminal's face: drawing runs with rich. It reads events and computes nothing of its own."""
