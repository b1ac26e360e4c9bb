"""What a page sees of a run: a bounded projection of its events, and its form on the wire. Pure."""
