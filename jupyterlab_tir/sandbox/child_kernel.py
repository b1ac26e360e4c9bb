"""The Jupyter kernel inside a child: ipykernel, made quiet, text only and interruptible.

Runs in the child's process only. What is changed here is courtesy to honest code, none of it is a
boundary: code in the same process can undo it, and the engine's side relies on none of it.
"""

# mypy: disallow-untyped-calls=False, disallow-untyped-decorators=False
# ruff: noqa: ANN401, D102 - what is overridden is untyped, and documented where it comes from

from __future__ import annotations

import ast
import contextlib
import importlib
import itertools
import os
import random
import signal
import socket
import sys
import warnings
from pathlib import Path
from typing import Any

import zmq
from ipykernel.compiler import XCachingCompiler
from ipykernel.iostream import IOPubThread
from ipykernel.ipkernel import IPythonKernel
from ipykernel.kernelapp import IPKernelApp
from ipykernel.zmqshell import ZMQInteractiveShell
from IPython.core.formatters import PlainTextFormatter, catch_format_error
from tornado.ioloop import IOLoop
from traitlets import Type
from traitlets.config import Config

from .aliases import MODULE_ALIASES
from .child_errors import describe_error, shortened
from .child_streams import (
    CellStream,
    encodable,
    end_stream,
    silence_originals,
    write_to_descriptors_after_fork,
)
from .result_channel import CELL_REPORT, CellReport

_cell_numbers = itertools.count(1)


class ReprFormatter(PlainTextFormatter):
    """The `repr` of an object; IPython's own printing would cut lists and sort sets."""

    keep_chars = 16_384
    cut_chars = 0

    @catch_format_error
    def __call__(self, obj: Any) -> str:
        text = repr(obj)
        self.cut_chars = max(len(text) - 2 * self.keep_chars, 0)
        if self.cut_chars:
            text = text[: self.keep_chars] + text[-self.keep_chars :]
        return encodable(text)


class CellCompiler(XCachingCompiler):
    """Names code after its cell instead of a file that does not exist."""

    def get_code_name(self, raw_code: str, code: str, number: int) -> str:  # noqa: ARG002
        return f"<cell {next(_cell_numbers)}>"


class AliasBinder(ast.NodeTransformer):
    """Binds a customary module name (`MODULE_ALIASES`) that a cell reads and nothing binds."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self._namespace = namespace

    def visit(self, node: ast.AST) -> ast.AST:
        read: set[str] = set()
        bound: set[str] = set()
        for part in ast.walk(node):
            if isinstance(part, ast.Name):
                (read if isinstance(part.ctx, ast.Load) else bound).add(part.id)
            elif isinstance(part, ast.arg):
                bound.add(part.arg)
            elif isinstance(part, ast.alias):
                bound.add(part.asname or part.name.partition(".")[0])
            elif isinstance(part, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
                bound.add(part.name)
        for name in sorted((read & MODULE_ALIASES.keys()) - bound - self._namespace.keys()):
            with contextlib.suppress(ImportError):  # then the cell raises its own NameError
                self._namespace[name] = importlib.import_module(MODULE_ALIASES[name])
        return node


class ChildShell(ZMQInteractiveShell):
    """The shell: errors trimmed to what helps, a report of numbers with every reply."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._out_of_memory = False
        display: Any = self.display_formatter
        self._formatter = ReprFormatter(parent=display)
        display.formatters["text/plain"] = self._formatter
        display.active_types = ["text/plain"]
        self.ast_transformers.append(AliasBinder(self.user_ns))
        self.events.register("post_run_cell", self._end_cell)
        # IPython's own would stop the kernel after the cell.
        self.user_ns["exit"] = self.user_ns["quit"] = sys.exit

    def showtraceback(self, exc_tuple: Any = None, *_args: Any, **_kwargs: Any) -> None:
        try:
            kind, error, trace = self._get_exc_info(exc_tuple)
        except ValueError:
            return  # nothing was raised
        message, lines = describe_error(kind, error, trace)
        self._out_of_memory = issubclass(kind, MemoryError)
        self._showtraceback(kind, message, lines)
        # IPython keeps the exception for post-mortems; its frames would hold the cell's memory.
        sys.last_type = sys.last_value = sys.last_traceback = None

    def showsyntaxerror(self, *_args: Any, **_kwargs: Any) -> None:
        self.showtraceback()

    def _end_cell(self, result: Any) -> None:
        for where in ("error_in_exec", "error_before_exec"):
            error = getattr(result, where, None)
            if error is not None:
                setattr(result, where, plain_error(error))
        report: CellReport = {
            "source": CELL_REPORT,
            "out_of_memory": self._out_of_memory,
            "stdout_cut": end_stream(sys.stdout),
            "stderr_cut": end_stream(sys.stderr),
            "value_cut": self._formatter.cut_chars,
            "peak_memory_bytes": peak_memory_bytes(),
        }
        self._out_of_memory = False
        self._formatter.cut_chars = 0
        payloads: Any = self.payload_manager
        payloads.write_payload(report, single=False)


class ChildKernel(IPythonKernel):
    """ipykernel's kernel over our shell."""

    shell_class = Type(ChildShell)
    compiler_class = Type(CellCompiler)


class ChildKernelApp(IPKernelApp):
    """ipykernel's application without files of the user and without a TCP port."""

    def init_crash_handler(self) -> None:
        pass

    def load_config_file(self, *_args: Any, **_kwargs: Any) -> None:
        pass

    def init_connection_file(self) -> None:
        super().init_connection_file()
        Path(self.abs_connection_file).unlink()

    def write_connection_file(self, **_kwargs: Any) -> None:
        pass  # the engine knows it all; the key must not lie on disk

    def init_iopub(self, context: Any) -> None:
        # As ipykernel 7.4 does it, but without the listener on 127.0.0.1 for forked processes.
        self.iopub_socket = context.socket(zmq.XPUB)
        self.iopub_socket.linger = 1000
        self.iopub_port = self._bind_socket(self.iopub_socket, self.iopub_port)
        self.configure_tornado_logger()
        self.iopub_thread = IOPubThread(self.iopub_socket, pipe=False, session=self.session)
        self.iopub_thread.start()
        self.iopub_socket = self.iopub_thread.background_socket

    def start(self) -> None:
        wake_loop_on_signals()
        super().start()


def plain_error(error: BaseException) -> BaseException:
    """Return an exception of the same name and message that holds no frames and cannot misbehave.

    ipykernel calls `str` on the exception unguarded; one that raises would cost the reply.
    """
    message, _ = describe_error(type(error), error, None)
    plain: BaseException = type(shortened(type(error).__name__, 100), (Exception,), {})(message)
    return plain


def peak_memory_bytes() -> int | None:
    """Return the highest resident memory of this process, where /proc tells.

    `getrusage` would count what the engine's process held when it started this one.
    """
    try:
        with Path("/proc/self/status").open(encoding="ascii", errors="replace") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
    except OSError:  # not Linux, or the cell used up the open files
        return None
    return None


def wake_loop_on_signals() -> None:
    """Let a signal wake the event loop, so that `await asyncio.sleep(60)` can be interrupted.

    ipykernel 7.4 schedules the cancellation from a signal handler without waking its loop
    (ipykernel issue 881).
    """
    loop = IOLoop.current().asyncio_loop  # type: ignore[attr-defined]
    sender, receiver = socket.socketpair()
    sender.setblocking(False)
    receiver.setblocking(False)

    def drain() -> None:
        with contextlib.suppress(BlockingIOError):
            while receiver.recv(4096):
                pass

    loop.add_reader(receiver, drain)
    signal.set_wakeup_fd(sender.detach(), warn_on_full_buffer=False)


def seed_before_first_cell(shell: ChildShell, seed: int) -> None:
    """Seed Python's generator when the first cell starts: ipykernel draws from it before."""

    def seed_once() -> None:
        shell.events.unregister("pre_execute", seed_once)
        random.seed(seed)

    shell.events.register("pre_execute", seed_once)


def make_kernel_app(
    connection_file: str, parent_pid: int, keep_chars: int, seed: int | None
) -> IPKernelApp:
    """Return the initialised application: its sockets are bound, its shell is ready.

    Parameters
    ----------
    connection_file
        Path of the connection file; deleted.
    parent_pid
        Process to watch where the operating system does not do it.
    keep_chars
        Characters of stdout, stderr and of a value to send at each end.
    seed
        Seed of Python's `random`, or None.
    """
    CellStream.keep_chars = ReprFormatter.keep_chars = keep_chars
    config = Config()
    config.IPKernelApp.connection_file = connection_file
    config.IPKernelApp.kernel_class = ChildKernel
    config.IPKernelApp.outstream_class = f"{CellStream.__module__}.{CellStream.__name__}"
    config.IPKernelApp.parent_handle = 0 if sys.platform == "linux" else parent_pid
    config.InteractiveShellApp.default_extensions = []
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    config.Completer.use_jedi = False
    config.Application.log_level = 50
    ChildKernelApp.__name__ = "IPKernelApp"  # traitlets looks settings up by this name
    app = ChildKernelApp.instance(config=config)
    app.initialize([])
    silence_originals()
    # The cell sees the SystemExit itself.
    warnings.filterwarnings("ignore", message="To exit: use 'exit', 'quit', or Ctrl-D")
    if seed is not None:
        seed_before_first_cell(app.kernel.shell, seed)
    os.register_at_fork(after_in_child=write_to_descriptors_after_fork)
    return app
