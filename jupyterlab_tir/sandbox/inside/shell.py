"""The shell that runs cells: IPython's, made once before any fork, quiet, and text only.

It has no socket, thread, history, profile or start-up file; a kernel gives it a publisher after
the fork. What is changed here is courtesy to honest code, none of it a boundary.
"""

# mypy: disallow-untyped-calls=False, disallow-untyped-decorators=False
# ruff: noqa: ANN401, D102 - what is overridden is untyped, and documented where it comes from

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from IPython.core import interactiveshell, page
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.profiledir import ProfileDir
from traitlets import Type, Unicode
from traitlets.config import Config

from .cells import CellCompiler, bind_aliases
from .display import CellDisplayHook, CellDisplayPublisher, ReprFormatter, TextDisplayFormatter
from .errors import ErrorReport, report_error
from .memory import grow_stack, keep_rest
from .publisher import Publisher
from .streams import CellStream


class _NoProfile(ProfileDir):
    """The profile folder of a shell that has none; IPython asks for its path and makes no file."""

    location = Unicode(os.devnull)


def _no_database(_path: str) -> dict[str, Any]:
    return {}


class ChildShell(InteractiveShell):
    """The shell of a child kernel.

    Attributes
    ----------
    publisher
        Where messages go; None before the fork.
    use_rest
        Called before anything is done about an error: there may be no memory.
    streams
        What cells write to, unless they put something else in its place.
    error
        The last exception that was shown in this cell.
    out_of_memory
        Whether that was for want of memory.
    display_failed
        Whether showing the value of the last expression raised.
    compiler, formatter, hook
        Parts that are ours.
    """

    displayhook_class = Type(CellDisplayHook)
    display_pub_class = Type(CellDisplayPublisher)
    compiler_class = Type(CellCompiler)

    publisher: Publisher | None = None
    use_rest: Callable[[], object] = bool
    streams: tuple[CellStream, ...] = ()
    error: ErrorReport | None = None
    out_of_memory = False
    display_failed = False

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        # What the base class made of our classes, under names with types.
        self.compiler: CellCompiler = self.compile  # type: ignore[assignment]
        self.hook: CellDisplayHook = self.displayhook  # type: ignore[assignment]
        self.db: Any = _no_database("")  # where %cd and others keep things

    # What IPython's own would look for in the user's files, or leave in the environment.

    def init_ipython_dir(self, ipython_dir: Any) -> None:
        pass

    def init_profile_dir(self, profile_dir: Any) -> None:  # noqa: ARG002
        self.profile_dir = _NoProfile()

    def init_virtualenv(self) -> None:
        pass

    def init_environment(self) -> None:
        os.environ["PAGER"] = os.environ["GIT_PAGER"] = "cat"

    def init_display_formatter(self) -> None:
        display = TextDisplayFormatter(parent=self)
        self.formatter = display.formatters["text/plain"] = ReprFormatter(parent=display)
        display.active_types = ["text/plain"]
        self.display_formatter = display
        self.configurables.append(display)  # type: ignore[arg-type]

    def transform_ast(self, node: Any) -> Any:
        bind_aliases(node, self.user_ns)
        return super().transform_ast(node)

    def init_hooks(self) -> None:
        super().init_hooks()
        self.set_hook("show_in_pager", page.as_hook(self._page), 99)

    def init_user_ns(self) -> None:
        super().init_user_ns()
        # IPython's own would end the kernel.
        leave = {"exit": sys.exit, "quit": sys.exit}
        self.user_ns.update(leave)
        self.user_ns_hidden.update(leave)

    def ask_exit(self) -> None:
        sys.exit()

    def enable_gui(self, gui: Any = None) -> None:
        if gui is not None:
            raise UsageError(f"this kernel has no event loop of {gui}")

    def set_next_input(self, text: str, replace: bool = False) -> None:  # noqa: FBT001, FBT002
        self._write_payload({"source": "set_next_input", "text": text, "replace": replace})

    def _page(self, text: Any, start: int = 0, *_: Any, **__: Any) -> None:
        data = text if isinstance(text, dict) else {"text/plain": text}
        self._write_payload({"source": "page", "data": data, "start": max(start, 0)})

    def _write_payload(self, payload: dict[str, Any]) -> None:
        payloads: Any = self.payload_manager
        payloads.write_payload(payload)

    def evaluate(self, expressions: dict[str, str]) -> dict[str, Any]:
        """Return what a request's user expressions are worth."""
        values: dict[str, Any] = self.user_expressions(expressions)
        return values

    def forget_cells(self) -> None:
        """Forget all values and numbers of cells; the namespace is left alone."""
        history: Any = self.history_manager
        history.reset()
        for name in ("_", "__", "___"):
            setattr(self.hook, name, "")
        self.execution_count = 1
        self.last_execution_succeeded, self.last_execution_result = True, None

    def take_payload(self) -> list[Any]:
        """Return what the cell has put into its reply, and forget it."""
        payloads: Any = self.payload_manager
        payload = list(payloads.read_payload())
        payloads.clear_payload()
        return payload

    def enter_folder(self) -> None:
        """Begin the history of folders with the one that the process is in."""
        history: Any = self.history_manager
        with contextlib.suppress(OSError):
            history.dir_hist[:] = [Path.cwd()]

    def begin_cell(self, *, silent: bool) -> None:
        """Forget the cell before."""
        self.use_rest = keep_rest()
        self.error = None
        self.out_of_memory = self.display_failed = False
        self.formatter.cut_chars = 0
        self.compiler.silent = silent
        self.hook.begin_cell()

    def publish(self, kind: str, content: dict[str, Any]) -> None:
        """Publish a message about the cell that the calling code belongs to."""
        if self.publisher is not None:
            self.publisher.publish(kind, content)

    def flush(self) -> None:
        """Send what was written before."""
        for stream in self.streams:
            stream.flush()

    def showtraceback(self, exc_tuple: Any = None, *_args: Any, **_kwargs: Any) -> None:
        self.use_rest()
        try:
            kind, error, trace = self._get_exc_info(exc_tuple)
        except ValueError:
            return  # nothing was raised
        if issubclass(kind, MemoryError):
            self.out_of_memory = True
        self.error = report_error(kind, error, trace)
        self.display_failed = self.display_failed or self.hook.showing
        self.flush()
        self.publish("error", msgspec.structs.asdict(self.error))
        forget_exception()

    def showsyntaxerror(self, *_args: Any, **_kwargs: Any) -> None:
        self.showtraceback()

    def _format_exception_for_storage(
        self, exception: BaseException, *_args: Any, **_kwargs: Any
    ) -> dict[str, Any]:
        # Shown already: asking an exception twice what it says may take forever.
        report = self.error or report_error(type(exception), exception, None)
        return msgspec.structs.asdict(report)


def forget_exception() -> None:
    """Drop what IPython keeps for post-mortems: its frames would hold the cell's memory."""
    sys.last_type = sys.last_value = sys.last_traceback = None
    if sys.version_info >= (3, 12):
        sys.last_exc = None


def build_shell(keep_chars: int) -> ChildShell:
    """Return the shell of this process; `__main__` is its namespace from now on.

    Parameters
    ----------
    keep_chars
        Characters of stdout, stderr and of a value to send at each end.
    """
    grow_stack()
    config = Config()
    config.HistoryManager.enabled = False
    config.HistoryManager.hist_file = ":memory:"
    config.InteractiveShell.autoindent = False
    config.InteractiveShell.colors = "nocolor"
    config.Completer.use_jedi = False
    ReprFormatter.keep_chars = keep_chars
    # The cell sees the SystemExit itself.
    warnings.filterwarnings("ignore", message="To exit: use 'exit', 'quit', or Ctrl-D")
    if hasattr(interactiveshell, "PickleShareDB"):  # IPython before 9.16 makes its folder at once
        interactiveshell.PickleShareDB = _no_database
    # Objects that are dropped only when the cell has ended complain about the code that did it.
    warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"jupyterlab_tir\.")
    return ChildShell.instance(config=config)
