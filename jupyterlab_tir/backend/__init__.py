"""Asking the model: the client, what is on the wire, dialects, finding the server.

Nothing is imported here: each module is loaded where it is used, since HTTP is heavy to load.
"""
