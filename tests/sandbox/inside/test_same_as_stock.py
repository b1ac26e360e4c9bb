"""Cells give the same in a stock kernel and in ours, but for what is trimmed on purpose.

On purpose: values are their `repr`, tracebacks name the cell's own lines, and leaving is an error
without a warning.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .driver import OURS, STOCK, Ran, make_manager, run, start

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jupyter_client.blocking.client import BlockingKernelClient

Pair = tuple["BlockingKernelClient", "BlockingKernelClient"]


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    folders = [Path(tempfile.mkdtemp(prefix="tir-test-")) for _ in range(2)]
    managers = [
        make_manager(command, folder)
        for command, folder in zip(
            ([*STOCK, "--PlainTextFormatter.pprint=False", "--quiet"], OURS), folders, strict=True
        )
    ]
    stock, ours = (start(*both) for both in zip(managers, folders, strict=True))
    yield stock, ours
    for client, manager, folder in zip((stock, ours), managers, folders, strict=True):
        client.stop_channels()
        manager.shutdown_kernel(now=True)
        manager.cleanup_resources()
        shutil.rmtree(folder, ignore_errors=True)


names = st.sampled_from("abcd")
texts = st.text(st.sampled_from("xyzé日😀\t'\"\\ "), max_size=6).map(repr)
atoms = st.one_of(
    st.integers(-9, 99).map(str),
    st.floats(-9, 9).map(repr),
    st.sampled_from(["True", "None", "2**70", "1j", "[]", "{}", "b'\\xff'", "...", "_"]),
    texts,
    names,
)
expressions = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.tuples(
            inner, st.sampled_from(["+", "-", "*", "/", "//", "%", "<", "and", "==", "in"]), inner
        ).map(lambda parts: "({} {} {})".format(*parts)),
        st.tuples(inner, inner).map(lambda two: "[{}, {}]".format(*two)),
        st.tuples(inner, inner).map(lambda two: "{{'k': {}, 1: {}}}".format(*two)),
        inner.map(lambda one: f"str({one})"),
        inner.map(lambda one: f"len({one})"),
        inner.map(lambda one: f"f'{{{one!s:.0}1:>5}}'"),
        inner.map(lambda one: f"(lambda q: (q, {one}))(1)"),
        inner.map(lambda one: f"[{one} for _ in range(2)]"),
    ),
    max_leaves=5,
)

# {e}, {f}: expressions; {n}, {m}: names. Braces of Python's own are doubled.
TEMPLATES = [
    "{n} = {e}",
    "{n} = {m} = {e}; {f}",
    "{n} += {e}",
    "{n}, {m} = {e}, {f}\n{n}",
    "({n} := {e})",
    "{e}",
    "{e};",
    "{e}\n{f}",
    "del {n}",
    "# {n}",
    "",
    "print({e}, {f}, sep='|', end='')",
    "print({e})\n{f}",
    "import sys; print({e}, file=sys.stderr)",
    "import sys; sys.stdout.write(str({e}))",
    "import sys\nprint('first')\nsys.stdout.flush()\nprint({e}, flush=True)",
    "import os, time; os.write(1, b'past python\\n'); time.sleep(0.5)",
    "import os, time; os.write(2, str({e}).encode()); time.sleep(0.5)",
    "for {n} in range(3):\n    print({n}, {e})",
    "def {n}(q, *more, k={e}):\n    return [q, k, more]\n{n}({f}, 1)",
    "def {n}(q):\n    return {n}(q - 1) + 1 if q else 0\n{n}(5)",
    "def {n}():\n    yield {e}\n    yield {f}\nlist({n}())",
    "{n}({e})",
    "class {n}:\n    held = {e}\n    def __repr__(self): return 'shown ' + str(self.held)\n{n}()",
    "class {n}:\n    pass\n{n}.__name__, {n}.__module__",
    "from dataclasses import dataclass\n@dataclass\nclass D:\n    x: int = 1\nD({e})",
    "import pickle\nclass P: pass\n{n} = P(); {n}.x = {e}\npickle.loads(pickle.dumps({n})).x",
    "import inspect\ndef {n}(): return {e}\ninspect.getsource({n})",
    "raise ValueError({e})",
    "raise KeyError({e}) from TypeError({f})",
    "class Own(Exception): pass\nraise Own({e}, {f})",
    "class Base(BaseException): pass\nraise Base({e})",
    "raise {e}",
    "assert {e}, {f}",
    "try:\n    {e} / {f}\nexcept Exception as error:\n    print(type(error).__name__, error)",
    "try:\n    {n} = {e}\nfinally:\n    print('at last')",
    "with open('file', 'w') as {n}: {n}.write(str({e}))\nopen('file').read()",
    "import contextlib as c, io\nwith c.redirect_stdout(io.StringIO()): print({e})",
    "match {e}:\n    case int(q): print('int', q)\n    case [q, *_]: print(q)\n    case _: 'other'",
    "import math; math.sqrt({e})",
    "from fractions import Fraction; Fraction({e}, 3) + 1",
    "import numpy as np; np.array([{e}, 1])",
    "import numpy as np\nnp.float64(1) / np.arange(2)",
    "import sympy; {n} = sympy.Symbol('x'); sympy.expand(({n} + 1)**2), sympy.sympify({e})",
    "import itertools, collections; collections.Counter(itertools.chain([{e}], [{f}]))",
    "import nonexistent_module",
    "import asyncio; await asyncio.sleep(0, {e})",
    "import asyncio\nasync def {n}(): return {e}\n[await {n}() for _ in range(2)]",
    "import asyncio\nawait asyncio.gather(asyncio.sleep(0, {e}), asyncio.sleep(0.001, {f}))",
    "import asyncio\n{n} = asyncio.create_task(asyncio.sleep(0, {e}))",
    "await {n}",
    "import asyncio; asyncio.run(None)",
    "import asyncio\nasyncio.get_running_loop().is_running(), asyncio.current_task() is None",
    "display({e}, {f})",
    "display({{'text/plain': str({e})}}, raw=True)",
    "{n} = display({e}, display_id='i'); {n}.update({f})",
    "from IPython.display import clear_output; clear_output(wait=True); {e}",
    "%%time\n{e}",
    "%%capture {n}\nprint({e})",
    "{n}.stdout",
    "%time {n} = {e}",
    "%nothing_like_it",
    "{n} = %who_ls\n'exit' in {n}",
    "!echo from a command",
    "{n} = !echo {{{e}}}\n{n}[:1]",
    "len = {e}\nlen",
    "del len",
    "print = {e}",
    "del print",
    "import warnings; warnings.warn(str({e}))",
    "import warnings; warnings.warn('old', DeprecationWarning)",
    "import logging; logging.getLogger('x').warning('%s', {e})",
    "import threading\n{n} = threading.Thread(target=print, args=({e},)); {n}.start(); {n}.join()",
    "__name__, __builtins__ is not None, globals() is locals()",
    "import sys; sys.modules['__main__'].__dict__ is globals()",
    "import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    traceback.print_exc()",
    "class {n}:\n    def __repr__(self): raise ValueError('no repr')\n{n}()",
    "class {n}:\n    def __repr__(self): return 7\n{n}()",
    "def {n}(): {n}()\n{n}()",
    "x = = {n}",
    "if {n}:",
    "return {e}",
    "{n} = '''open",
    "for q in {e}: print(q)\nelse: print('else')",
    "while True:\n    break\n{e}",
    "if {e}:\n    {f}\nelse:\n    print('no')",
    "global {n}\n{n} = {e}",
    "import sys; sys.exit({e})",
    "raise KeyboardInterrupt",
    "input({e})",
    "exec({e!r}); eval('1 + 1')",
    "from __future__ import annotations\ndef {n}(q: Unknown): pass\n{n}.__annotations__",
    "get_ipython().run_cell('1 + 1').result",
    "_, __, Out",
    "help?",
]
cells = st.builds(
    lambda template, e, f, n, m: template.format(e=e, f=f, n=n, m=m),
    st.sampled_from(TEMPLATES),
    expressions,
    expressions,
    names,
    names,
)


def shown(ran: Ran) -> dict[str, Any]:
    """Return what a cell gave, without what differs on purpose or by chance."""
    content = ran.content
    # The reply of a stock kernel does not name a repr that raised, and it prints what is no magic.
    errors = ran.of_kind("error")
    error = errors[-1] if errors and content.get("ename") != "UsageError" else None
    return {
        # How much text is in one message depends on the time.
        "kinds": [kind for kind in ran.kinds if kind not in {"stream", "error"}],
        "status": content["status"],
        "error": error and (error["ename"], plain(error["evalue"])),
        "value": plain(ran.value or ""),
        "stdout": plain(ran.text("stdout")),
        "stderr": plain(stderr_of(ran)),
        "displays": [
            (plain(data["data"]["text/plain"]), data["transient"])
            for kind in ("display_data", "update_display_data")
            for data in ran.of_kind(kind)
        ],
        "payload": [
            entry["source"]
            for entry in content["payload"]
            if entry["source"] != "jupyterlab_tir.cell"
        ],
        "count": content["execution_count"],
    }


def stderr_of(ran: Ran) -> str:
    if ran.content.get("ename") in {"SystemExit", "UsageError"}:
        return ""
    # Complaints about coroutines come when the garbage is collected, which may be any time.
    return re.sub(r"(?m)^.*never awaited\n(  .*\n)?(.*tracemalloc.*\n)?", "", ran.text("stderr"))


def plain(text: str) -> str:
    """Return `text` without the names of cells' files, addresses, times and positions."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    text = re.sub(r"(?:<cell \d+>|[^ \"(]*/ipykernel_\d+/\d+\.py)", "CELL", text)
    text = re.sub(r" \((?:\d+\.py|<unknown>|CELL), line \d+\)", "", text)
    text = re.sub(r"0x[0-9a-f]+", "ADDRESS", text)
    text = re.sub(r"Thread-\d+|Task-\d+", "NUMBER", text)
    return re.sub(r"[\d.e+]+ ?(?:ns|μs|us|ms|s)\b", "TIME", text)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(sequence=st.lists(cells, min_size=1, max_size=6))
def test_generated_cells_give_the_same_as_in_a_stock_kernel(
    pair: Pair, sequence: list[str]
) -> None:
    for client in pair:
        assert run(client, "%reset -f").content["status"] == "ok"
    for code in sequence:
        stock, ours = (shown(run(client, code)) for client in pair)
        assert ours == stock, code


def test_every_template_gives_the_same_as_in_a_stock_kernel(pair: Pair) -> None:
    different = []
    for template in TEMPLATES:
        code = template.format(e="(1 + 1)", f="'two'", n="a", m="b")
        stock, ours = (shown(run(client, code)) for client in pair)
        if ours != stock:
            different.append((code, {k: (stock[k], ours[k]) for k in ours if ours[k] != stock[k]}))
    assert different == [], "\n".join(map(str, different))
