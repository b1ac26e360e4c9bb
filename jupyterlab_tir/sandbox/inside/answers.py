"""Replies to the requests that run no cell."""

# mypy: disallow-untyped-calls=False

from __future__ import annotations

import platform
import sys
from typing import Any, Final

import msgspec
from IPython.core.completer import provisionalcompleter, rectify_completions
from IPython.utils.tokenutil import token_at_cursor

from jupyterlab_tir._version import __version__

from .channels import Request
from .errors import report_error
from .shell import ChildShell
from .wire import PROTOCOL_VERSION

Content = dict[str, Any]

KERNEL_INFO: Final[Content] = {
    "status": "ok",
    "protocol_version": PROTOCOL_VERSION,
    "implementation": "jupyterlab_tir",
    "implementation_version": __version__,
    "language_info": {
        "name": "python",
        "version": platform.python_version(),
        "mimetype": "text/x-python",
        "codemirror_mode": {"name": "ipython", "version": sys.version_info[0]},
        "pygments_lexer": "ipython3",
        "nbconvert_exporter": "python",
        "file_extension": ".py",
    },
    "banner": f"Python {platform.python_version()}, a child kernel of jupyterlab_tir",
    "help_links": [],
    "supported_features": [],
}


def reply_kind(request: Request) -> str:
    """Return the type of the reply to `request`."""
    return f"{request.kind.removesuffix('_request')}_reply"


def shutdown_content(request: Request) -> dict[str, Any]:
    """Return the content of the reply to a shutdown_request."""
    return {"status": "ok", "restart": request.content.get("restart") is True}


def refusal(name: str, sentence: str) -> Content:
    """Return the content of a reply that says no."""
    return {"status": "error", "ename": name, "evalue": sentence, "traceback": []}


def error_content(error: BaseException) -> Content:
    """Return the content of a reply to a request that raised."""
    report = report_error(type(error), error, None)
    return {"status": "error"} | msgspec.structs.asdict(report)


def complete(shell: ChildShell, content: Content) -> Content:
    """Answer a complete_request."""
    code = str(content.get("code", ""))
    position = content.get("cursor_pos")
    if not isinstance(position, int):
        position = len(code)
    with provisionalcompleter():
        found = list(rectify_completions(code, shell.Completer.completions(code, position)))
    described = [
        {
            "start": one.start,
            "end": one.end,
            "text": one.text,
            "type": one.type,
            "signature": one.signature,
        }
        for one in found
    ]
    return {
        "status": "ok",
        "matches": [one.text for one in found],
        "cursor_start": found[0].start if found else position,
        "cursor_end": found[0].end if found else position,
        "metadata": {"_jupyter_types_experimental": described},
    }


def inspect(shell: ChildShell, content: Content) -> Content:
    """Answer an inspect_request."""
    code = str(content.get("code", ""))
    position = content.get("cursor_pos")
    name = token_at_cursor(code, position if isinstance(position, int) else len(code))
    try:
        bundle = shell.object_inspect_mime(
            name,
            detail_level=1 if content.get("detail_level") == 1 else 0,
            omit_sections=content.get("omit_sections") or [],
        )
    except KeyError:
        return {"status": "ok", "found": False, "data": {}, "metadata": {}}
    data = {"text/plain": bundle.get("text/plain", "")}
    return {"status": "ok", "found": True, "data": data, "metadata": {}}


def is_complete(shell: ChildShell, content: Content) -> Content:
    """Answer an is_complete_request."""
    manager: Any = shell.input_transformer_manager
    status, spaces = manager.check_complete(str(content.get("code", "")))
    return {"status": status} | ({"indent": " " * (spaces or 0)} if status == "incomplete" else {})


def history(_shell: ChildShell, _content: Content) -> Content:
    """Answer a history_request: a child keeps none."""
    return {"status": "ok", "history": []}


def comm_info(_shell: ChildShell, _content: Content) -> Content:
    """Answer a comm_info_request: there are no comms, which carry widgets."""
    return {"status": "ok", "comms": {}}


def kernel_info(_shell: ChildShell, _content: Content) -> Content:
    """Answer a kernel_info_request."""
    return KERNEL_INFO


ANSWERS: Final = {
    "comm_info_request": comm_info,
    "complete_request": complete,
    "history_request": history,
    "inspect_request": inspect,
    "is_complete_request": is_complete,
    "kernel_info_request": kernel_info,
}
