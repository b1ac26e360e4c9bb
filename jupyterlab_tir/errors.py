"""The errors of misuse.

What can go wrong in the world (a time-out, a dead kernel, a refused request) is a typed status on
a turn or a sample, never one of these. These are raised when a person asked for something that
cannot be done; each message is one sentence or two that say what happened, why, and what to do,
and every face shows it without a stack trace.
"""


class TirError(Exception):
    """Base of everything that this package raises on purpose."""


class UsageError(TirError):
    """A setting, option or problem that cannot be used as given."""


class NoServerError(TirError):
    """No server was named or found, or what answers there is not one that can be used."""


class RecordError(TirError):
    """A record that does not exist, or cannot be read or written."""


class ServeError(TirError):
    """The server could not be set up, started or stopped."""


class StoppedError(TirError):
    """A run that was stopped before it had a server: there is no result to keep."""
