"""Answers as mathematics: reading text into a tree, and the tree's canonical key.

Runs in the killable worker; imports nothing of the package but `answers`' own pure modules.
"""
