"""Requests that are answered with an error, in the form that vLLM gives it."""

from __future__ import annotations

from typing import Any


class RefusedRequest(Exception):  # noqa: N818 - a reply on the wire, not an error of ours
    """Ends the handling of a request with an error reply.

    Parameters
    ----------
    status
        HTTP status.
    message, kind, param
        The fields of the error object; `kind` is its `type`.
    """

    def __init__(
        self,
        status: int,
        message: str,
        kind: str = "BadRequestError",
        param: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.kind = kind
        self.param = param

    def body(self) -> dict[str, Any]:
        """The JSON object of the reply."""
        return error_object(self.status, self.message, self.kind, self.param)


def error_object(
    code: int,
    message: str,
    kind: str,
    param: str | None = None,
) -> dict[str, Any]:
    """The error object of vLLM's replies."""
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def invalid_parameter(param: str, message: str, value: object) -> RefusedRequest:
    """A refusal as vLLM words it when one parameter has a value that cannot be used."""
    return RefusedRequest(400, f"{message} (parameter={param}, value={value})", param=param)
