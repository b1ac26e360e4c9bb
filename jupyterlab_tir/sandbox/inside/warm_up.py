"""Paying for first times before the fork: lazy imports, caches, code that Python specialises."""

from __future__ import annotations

import asyncio
import linecache
import random
import signal
import sys
from typing import Final

from .answers import complete, inspect, is_complete
from .execute import CellRequest, Executor
from .interrupts import Interrupts
from .publisher import Publisher
from .shell import ChildShell
from .streams import CellStream
from .wire import Wire

_CELLS: Final = (
    "1 + 1",
    "print('text')",
    "def f(n):\n    return 1 / n\nf(0)",
    "undefined_name",
    "x = = 1",
    "import asyncio\nawait asyncio.sleep(0)",
    "display('text')",
    "%%time\nsum(range(10))",
    "import warnings\nwarnings.warn('text', RuntimeWarning)",
    "class C:\n    a: int = 1\nC()",
    "'%.3f' % 0.5, f'{1:>5}', [i for i in range(3)], {1: 2}, {3}",
    "math.sqrt(2), fractions.Fraction(1, 3)",
    "exit()",
)
_LIBRARY_CELLS: Final = {
    "numpy": "a = np.arange(6.0).reshape(2, 3)\nprint(a)\na",
    "sympy": (
        "x = sp.symbols('x')\nprint(sp.solve(x**2 - 2, x), sp.factorint(2**31 - 2))\n"
        "sp.integrate(x * sp.sin(x), x)"
    ),
}


def warm_up(shell: ChildShell) -> None:
    """Run a few cells without sockets, and leave no trace of them.

    Starts no thread; afterwards no event loop is open, and namespace, numbers and random state are
    as before.
    """
    random_state = random.getstate()
    numpy_random = sys.modules.get("numpy.random")
    numpy_state = numpy_random.get_state() if numpy_random is not None else None
    streams = sys.stdout, sys.stderr
    on_interrupt = signal.getsignal(signal.SIGINT)
    wakeup = signal.set_wakeup_fd(-1)
    namespaces = [(names, dict(names)) for names in (shell.user_ns, shell.user_ns_hidden)]
    loop = asyncio.SelectorEventLoop()
    try:
        loop.run_until_complete(_run_cells(shell, loop))
        for answer in (complete, inspect, is_complete):
            answer(shell, {"code": "import math\nmath.sq", "cursor_pos": 19})
    finally:
        loop.close()
        asyncio.set_event_loop(None)
        shell.publisher, shell.streams = None, ()
        signal.signal(signal.SIGINT, on_interrupt)
        signal.set_wakeup_fd(wakeup)
        sys.stdout, sys.stderr = streams
        random.setstate(random_state)
        if numpy_random is not None:
            numpy_random.set_state(numpy_state)
    for names, before in namespaces:
        names.clear()
        names.update(before)
    shell.forget_cells()
    shell.compiler.begin()
    for name in [name for name in linecache.cache if name.startswith("<")]:
        del linecache.cache[name]


async def _run_cells(shell: ChildShell, loop: asyncio.AbstractEventLoop) -> None:
    interrupts = Interrupts(loop)
    publisher = Publisher(Wire(b"none"), lambda _frames: None, interrupts)
    stdout = CellStream("stdout", 1, publisher, shell.formatter.keep_chars)
    stderr = CellStream("stderr", 2, publisher, shell.formatter.keep_chars)
    shell.publisher = publisher
    shell.streams = sys.stdout, sys.stderr = stdout, stderr
    executor = Executor(shell, interrupts, stdout, stderr, None)
    libraries = [cell for name, cell in _LIBRARY_CELLS.items() if name in sys.modules]
    for code in (*_CELLS, *libraries):
        for _ in range(3):  # Python specialises what runs several times
            request = CellRequest(code, store_history=False)
            publisher.publish("execute_reply", await executor.execute(request))
    interrupts.close()
