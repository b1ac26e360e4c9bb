"""The killable worker: hostile work, threads, loops, forks, killed parents, nothing left over."""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_tir.answers.worker import NoProcessError, Worker, shared

SERVICE = """
import os, resource, signal, sys, time

def spin(request):
    while True:
        pass

def power(request):
    return b"%d" % (9**9**9 % 7)

def take(request):
    return b"%d" % len(bytearray(int(request.payload)))

def eat(request):
    eaten = []
    while True:
        eaten.append(bytearray(1 << 20))

def recurse(request):
    return recurse(request)

def crash(request):
    os.kill(os.getpid(), signal.SIGSEGV)

def stop(request):
    os.kill(os.getpid(), signal.SIGSTOP)

def flood(request):
    for _ in range(100):
        print("x" * 100_000)
    os.write(1, b"x" * 100_000)
    return b"calm"

def fifty(request):
    return bytes(50_000_000)

def nonsense(request):
    for number in range(3, 64):
        try:
            os.write(number, b"\\xff" * 9)
        except OSError:
            pass
    return b""

def write(request):
    path = request.payload.decode()
    try:
        with open(path, "wb", buffering=0) as file:
            while file.write(bytes(1 << 20)):
                pass
    except OSError:
        return b"%d" % os.path.getsize(path)

def open_many(request):
    opened = []
    try:
        while True:
            opened.append(os.open("/", os.O_RDONLY))
    except OSError:
        for number in opened:
            os.close(number)
        return b"%d" % len(opened)

def dump(request):
    return b"%d" % resource.getrlimit(resource.RLIMIT_CORE)[1]

def is_warm(request):
    return b"warm" if warmed else b"cold"

warmed = []

def warm():
    time.sleep(0.5)
    warmed.append(True)

OPERATIONS = {
    "echo": lambda request: request.payload,
    "pid": lambda request: b"%d" % os.getpid(),
    "folder": lambda request: os.getcwd().encode(),
    "read": lambda request: sys.stdin.read().encode(),
    "sleep": lambda request: time.sleep(60),
    "exit": lambda request: sys.exit(0),
    "fail": lambda request: 1 // 0,
    "text": lambda request: "not bytes",
    **{f.__name__: f for f in (spin, power, take, eat, recurse, crash, stop, flood, fifty, nonsense,
                               write, open_many, dump, is_warm)},
}
"""
ROOT = str(Path(__file__).parents[2])
HOSTILE = ("spin", "power", "sleep", "stop")
BROKEN = ("eat", "recurse", "crash", "exit", "fail", "text", "fifty", "nonsense")


@pytest.fixture(scope="module")
def service_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the modules lie that the tests have served."""
    folder = tmp_path_factory.mktemp("services")
    (folder / "hostile_service.py").write_text(SERVICE, encoding="utf-8")
    slow = "import time\ntime.sleep(0.7)\nOPERATIONS = {'echo': lambda request: request.payload}\n"
    (folder / "slow_service.py").write_text(slow, encoding="utf-8")
    (folder / "broken_service.py").write_text("import no_such_module_anywhere\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield str(folder)


@pytest.fixture
def worker(service_folder: str) -> Iterator[Worker]:
    """A worker of its own, of which nothing may be left: processes, zombies, descriptors."""
    assert service_folder in sys.path
    before = _children(os.getpid()), _descriptors()
    with Worker("hostile_service") as made:
        yield made
    assert (_children(os.getpid()), _descriptors()) == before


@pytest.fixture
def run_script(
    service_folder: str, tmp_path: Path
) -> Iterator[Callable[[str], subprocess.Popen[str]]]:
    """Start a script without a `__main__` guard, with a worker named `worker`."""
    preamble = f"""
        import os, signal, sys, threading, time
        sys.path[:0] = [{service_folder!r}, {ROOT!r}]
        from jupyterlab_tir.answers.worker import NoProcessError, Worker
        worker = Worker("hostile_service")
        def ask(operation, payload=b"", timeout_s=5.0):
            return worker.ask(operation, payload, timeout_s=timeout_s)
        def say(*words):
            print(*words, flush=True)
    """
    started = []

    def start(text: str) -> subprocess.Popen[str]:
        path = tmp_path / "script.py"
        path.write_text(textwrap.dedent(preamble) + textwrap.dedent(text), encoding="utf-8")
        script = subprocess.Popen(
            [sys.executable, "-W", "error", str(path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(script)
        return script

    yield start
    for script in started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(script.pid, signal.SIGKILL)
        script.communicate()


def _stats() -> Iterator[tuple[int, int]]:
    """Every process with its parent, zombies included."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            yield int(folder.name), int(fields[1])


def _children(pid: int) -> set[int]:
    return {child for child, parent in _stats() if parent == pid}


def _descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def _pid(worker: Worker) -> int:
    answer = worker.ask("pid", b"", timeout_s=5)
    assert answer is not None
    return int(answer)


def _until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def _worked_s(pid: int) -> float:
    """How much of the processor's time a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _line(script: subprocess.Popen[str]) -> str:
    """The next line that a script says."""
    assert script.stdout is not None
    return script.stdout.readline().strip()


def _gone_within(seconds: float, pid: int, alive: Callable[[int], bool]) -> bool:
    """Whether a process ends by itself; one that does not is ended, and spins no longer."""
    until = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < until:
        time.sleep(0.02)
    if not alive(pid):
        return True
    os.kill(pid, signal.SIGKILL)
    return False


@pytest.mark.parametrize("payload", [b"", b"x", bytes(7 << 20)], ids=["none", "one", "7 MiB"])
def test_an_operation_gets_its_payload_and_its_result_comes_back(
    worker: Worker, payload: bytes
) -> None:
    assert worker.ask("echo", payload, timeout_s=5) == payload


@pytest.mark.parametrize("operation", HOSTILE)
def test_endless_work_ends_in_time_and_the_next_is_served(worker: Worker, operation: str) -> None:
    assert worker.ask("echo", b"before", timeout_s=5) == b"before"
    began = time.monotonic()
    assert worker.ask(operation, b"", timeout_s=0.3) is None
    assert 0.3 <= time.monotonic() - began < 30
    assert worker.ask("echo", b"after", timeout_s=5) == b"after"


@pytest.mark.parametrize("operation", BROKEN)
def test_a_broken_process_is_an_answer_at_once_and_the_next_is_served(
    worker: Worker, operation: str
) -> None:
    began = time.monotonic()
    assert worker.ask(operation, b"", timeout_s=60) is None
    assert time.monotonic() - began < 60
    assert worker.ask("echo", b"after", timeout_s=5) == b"after"


def test_a_gibibyte_is_the_limit_of_memory(worker: Worker) -> None:
    assert worker.ask("take", b"%d" % (900 << 20), timeout_s=20) == b"%d" % (900 << 20)
    assert worker.ask("take", b"%d" % (1100 << 20), timeout_s=20) is None


def test_files_and_core_dumps_are_limited(worker: Worker, tmp_path: Path) -> None:
    path = tmp_path / "big"
    assert worker.ask("write", str(path).encode(), timeout_s=5) == b"%d" % (4 << 20)
    opened = worker.ask("open_many", b"", timeout_s=5)
    assert opened is not None
    assert 40 < int(opened) < 64
    assert worker.ask("dump", b"", timeout_s=5) in {b"0", b"1"}


def test_an_operation_meets_neither_the_conversation_nor_a_terminal(worker: Worker) -> None:
    pid = _pid(worker)
    assert os.getsid(pid) == pid
    assert worker.ask("flood", b"", timeout_s=5) == b"calm"
    assert worker.ask("read", b"", timeout_s=5) == b""
    assert worker.ask("folder", b"", timeout_s=5) == b"/"
    assert _pid(worker) == pid


def test_an_unknown_operation_is_misuse_and_costs_no_process(worker: Worker) -> None:
    pid = _pid(worker)
    with pytest.raises(ValueError, match=r"hostile_service has no operation 'divine'\."):
        worker.ask("divine", b"", timeout_s=5)
    assert _pid(worker) == pid


@pytest.mark.parametrize(
    ("payload", "timeout_s"), [(b"", 0), (b"", -1), (b"", math.nan), (bytes((32 << 20) + 1), 1)]
)
def test_what_is_beyond_the_limits_beforehand_starts_nothing(
    worker: Worker, payload: bytes, timeout_s: float
) -> None:
    assert worker.ask("echo", payload, timeout_s=timeout_s) is None
    assert not worker.is_running


def test_an_endless_time_is_an_hour(worker: Worker) -> None:
    assert worker.ask("echo", b"x", timeout_s=math.inf) == b"x"


def test_two_hundred_answers_after_twenty_kills(worker: Worker) -> None:
    started = _children(os.getpid())
    for _ in range(20):
        assert worker.ask("spin", b"", timeout_s=0.05) is None
    for number in range(200):
        assert worker.ask("echo", b"%d" % number, timeout_s=5) == b"%d" % number
    assert len(_children(os.getpid()) - started) <= 2


def test_eight_threads_get_their_own_answers_from_two_processes(worker: Worker) -> None:
    started = _children(os.getpid())

    def work(thread: int) -> list[bool]:
        right = []
        for number in range(20):
            text = b"%d %d" % (thread, number)
            right.append(worker.ask("echo", text, timeout_s=10) == text)
            if number == thread:
                right.append(worker.ask("spin", b"", timeout_s=0.1) is None)
        return right

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(work, range(8)))
    assert found == [[True] * 21] * 8
    assert len(_children(os.getpid()) - started) == 2


def test_a_thread_does_not_wait_behind_a_hostile_text(worker: Worker) -> None:
    _pid(worker)

    def spin() -> None:
        with pytest.raises(NoProcessError, match="closed"):
            worker.ask("spin", b"", timeout_s=300)

    thread = threading.Thread(target=spin)
    thread.start()
    _until(lambda: worker._busy)
    assert worker.ask("echo", b"x", timeout_s=5) == b"x"
    assert worker._busy  # it spins still
    worker.close()
    thread.join()


def test_works_inside_a_running_event_loop_and_from_its_threads(worker: Worker) -> None:
    async def ask() -> list[Any]:
        direct = worker.ask("echo", b"x", timeout_s=5)
        asks = (asyncio.to_thread(worker.ask, "echo", b"%d" % n, timeout_s=5) for n in range(3))
        return [direct, *await asyncio.gather(*asks)]

    assert asyncio.run(ask()) == [b"x", b"0", b"1", b"2"]


def test_time_to_start_is_not_the_requests(service_folder: str) -> None:
    assert service_folder in sys.path
    with Worker("slow_service") as slow:
        assert slow.ask("echo", b"x", timeout_s=0.4) == b"x"


def test_idle_processes_warm_up_and_no_request_pays_for_it(worker: Worker) -> None:
    assert worker.ask("is_warm", b"", timeout_s=5) == b"cold"
    (process,) = worker._idle
    heard = process._changed_at
    # 0.2 s until it is idle; 0.5 s, then, away, which is longer than the request may take.
    _until(lambda: process.is_alive() and process._changed_at != heard)
    assert worker.ask("is_warm", b"", timeout_s=0.2) == b"warm"


def test_a_process_that_dies_while_idle_is_replaced(
    worker: Worker, alive: Callable[[int], bool]
) -> None:
    pid = _pid(worker)
    os.kill(pid, signal.SIGKILL)
    assert _gone_within(60, pid, alive)  # a signal is not yet a death
    assert _pid(worker) != pid


def test_close_ends_calls_under_way_and_a_later_one_starts_anew(worker: Worker) -> None:
    _pid(worker)
    ends: list[str] = []

    def spin() -> None:
        with pytest.raises(NoProcessError, match="closed") as raised:
            worker.ask("spin", b"", timeout_s=60)
        ends.append(str(raised.value))

    thread = threading.Thread(target=spin)
    thread.start()
    _until(lambda: worker._busy)
    worker.close()
    thread.join(60)
    assert ends == ["it was closed"]
    assert not worker.is_running
    assert worker.ask("echo", b"x", timeout_s=5) == b"x"


def test_a_service_that_cannot_start_is_said_once_and_hangs_nobody(service_folder: str) -> None:
    assert service_folder in sys.path
    before = _children(os.getpid()), _descriptors()
    with Worker("broken_service") as broken:
        with (
            pytest.warns(RuntimeWarning, match="it ended before it was ready") as said,
            pytest.raises(NoProcessError),
        ):
            broken.ask("echo", b"", timeout_s=5)
        assert "import broken_service" in str(said[0].message)
        assert said[0].filename == __file__
        with pytest.raises(NoProcessError, match="a moment ago"):
            broken.ask("echo", b"", timeout_s=5)
    assert (_children(os.getpid()), _descriptors()) == before


def test_no_interpreter_is_said_too(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    with (
        pytest.warns(RuntimeWarning, match="No such file or directory"),
        pytest.raises(NoProcessError),
    ):
        worker.ask("echo", b"", timeout_s=5)
    with pytest.raises(NoProcessError, match="a moment ago"):
        worker.ask("echo", b"", timeout_s=5)


def test_nothing_secret_is_in_the_process(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", "s3cr3t-value")
    folder = Path(f"/proc/{_pid(worker)}")
    names = {line.partition(b"=")[0] for line in (folder / "environ").read_bytes().split(b"\0")}
    assert {b"PATH", b"PYTHONHASHSEED"} <= names
    assert b"MY_API_KEY" not in names
    assert b"s3cr3t" not in (folder / "environ").read_bytes() + (folder / "cmdline").read_bytes()


def test_modules_in_the_current_folder_are_not_imported(
    worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("json", "mpmath", "msgspec"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    assert worker.ask("echo", b"x", timeout_s=5) == b"x"


def test_one_worker_is_shared() -> None:
    assert shared() is shared()


def test_a_script_without_a_guard_leaves_nothing(
    run_script: Callable[[str], subprocess.Popen[str]], alive: Callable[[int], bool]
) -> None:
    script = run_script("""
        say(ask("spin", timeout_s=0.2), ask("pid").decode())
    """)
    out, err = script.communicate(timeout=120)
    assert (script.returncode, err) == (0, "")
    ended, pid = out.split()
    assert ended == "None"
    assert not alive(int(pid))


def test_a_forked_copy_uses_a_process_of_its_own(
    run_script: Callable[[str], subprocess.Popen[str]], alive: Callable[[int], bool]
) -> None:
    script = run_script("""
        mine = ask("pid")
        copy = os.fork()
        if copy == 0:
            say(ask("pid").decode())
            os._exit(0)
        os.waitpid(copy, 0)
        say(mine.decode(), ask("pid").decode())
    """)
    out, err = script.communicate(timeout=120)
    assert (script.returncode, err) == (0, "")
    of_copy, before, after = out.split()
    assert of_copy != before == after
    assert _gone_within(60, int(of_copy), alive)


def test_a_copy_forked_under_a_call_does_not_wait_for_it(
    run_script: Callable[[str], subprocess.Popen[str]],
) -> None:
    script = run_script("""
        import warnings
        warnings.simplefilter("ignore", DeprecationWarning)  # threads and forks: that is the test
        ask("pid")
        found = []
        asking = [
            threading.Thread(target=lambda: found.append(ask("sleep", timeout_s=2)))
            for _ in range(2)
        ]
        for thread in asking:
            thread.start()
        while len(worker._busy) < 2:
            time.sleep(0.01)
        held, done = threading.Event(), threading.Event()
        def hold():
            with worker._changed:
                held.set()
                done.wait()
        threading.Thread(target=hold).start()
        held.wait()
        copy = os.fork()
        if copy == 0:
            say(ask("echo", b"copy").decode())
            os._exit(0)
        os.waitpid(copy, 0)
        done.set()  # whoever had waited for it would wait still
        for thread in asking:
            thread.join()
        say(ask("echo", b"original").decode(), found)
    """)
    out, err = script.communicate(timeout=120)
    assert (script.returncode, err) == (0, "")
    assert out.split("\n")[:2] == ["copy", "original [None, None]"]


@pytest.mark.parametrize(
    "preparation",
    [
        "",
        "signal.signal(signal.SIGALRM, signal.SIG_IGN)",
        "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})",
    ],
)
def test_a_process_whose_parent_is_killed_in_mid_request_ends(
    run_script: Callable[[str], subprocess.Popen[str]],
    alive: Callable[[int], bool],
    preparation: str,
) -> None:
    script = run_script(f"""
        {preparation}
        say(ask("pid").decode())
        ask("spin", timeout_s=3.0)
    """)
    pid = int(_line(script))
    idle_s = _worked_s(pid)
    _until(lambda: _worked_s(pid) > idle_s + 0.05)
    script.kill()
    script.wait()
    assert alive(pid)
    assert _gone_within(60, pid, alive)


def test_an_idle_process_ends_with_its_parent_though_a_fork_holds_its_pipe(
    run_script: Callable[[str], subprocess.Popen[str]], alive: Callable[[int], bool]
) -> None:
    script = run_script("""
        pid = ask("pid").decode()
        pipe = os.dup(next(iter(worker._idle))._requests.fileno())
        time.sleep(1.5)  # until it is warm, and has nothing to say
        fork = os.fork()
        if fork == 0:
            os.close(1); os.close(2)
            time.sleep(600)
            os._exit(0)
        say(pid, fork)
        time.sleep(600)
    """)
    pid, fork = map(int, _line(script).split())
    script.kill()
    script.wait()
    assert _gone_within(60, pid, alive)
    assert alive(fork)  # or the end of its input would have ended it


def test_ctrl_c_reaches_the_caller_and_spares_the_worker(
    run_script: Callable[[str], subprocess.Popen[str]],
) -> None:
    script = run_script("""
        pid = ask("pid")
        try:
            say("idle")
            time.sleep(60)
        except KeyboardInterrupt:
            say(ask("pid") == pid)
        try:
            say("busy")
            ask("spin", timeout_s=60)
        except KeyboardInterrupt:
            say(ask("echo", b"interrupted").decode())
    """)
    assert _line(script) == "idle"
    time.sleep(0.3)
    os.killpg(script.pid, signal.SIGINT)
    assert _line(script) == "True"
    assert _line(script) == "busy"
    time.sleep(0.3)
    os.killpg(script.pid, signal.SIGINT)
    assert _line(script) == "interrupted"
    _, err = script.communicate(timeout=120)
    assert (script.returncode, err) == (0, "")
