"""Which levels are offered: here, on simulated machines, and where the box has a hole."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from jupyterlab_tir.errors import TirError
from jupyterlab_tir.sandbox import levels
from jupyterlab_tir.sandbox.box import Box
from jupyterlab_tir.sandbox.levels import LEVELS, Offer, SandboxError, choose, layers, probe

Elsewhere = Callable[..., subprocess.CompletedProcess[str]]

LANDLOCK = 444
OPEN_TREE = 428
ARM = os.uname().machine == "aarch64"
UNSHARE, MOUNT, SECCOMP = (97, 40, 277) if ARM else (272, 165, 317)
NO_LANDLOCK = "the kernel has no Landlock (it is off, or older than 5.13)"
ALL = Offer(offered=LEVELS, lacking={})
DOCKER = Offer(offered=LEVELS[1:], lacking={"full+ns": "no namespaces"})
GVISOR = Offer(
    offered=("nofs", "partial", "none"), lacking={"full+ns": "no Landlock", "full": "no Landlock"}
)
NOTHING = Offer(offered=("none",), lacking=dict.fromkeys(LEVELS[:4], "no Linux"))


@pytest.fixture(autouse=True)
def _unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "_known", None)


@pytest.mark.parametrize(
    ("choice", "offer", "level"),
    [
        ("auto", ALL, "full+ns"),
        ("auto", DOCKER, "full"),
        ("full", ALL, "full"),
        ("full+ns", ALL, "full+ns"),
        ("nofs", ALL, "nofs"),
        ("nofs", GVISOR, "nofs"),
        ("none", ALL, "none"),
        ("none", NOTHING, "none"),
        ("partial", ALL, "full+ns"),
        ("partial", GVISOR, "nofs"),
        ("partial", Offer(offered=("partial", "none"), lacking={}), "partial"),
        ("best", ALL, "full+ns"),
        ("best", GVISOR, "nofs"),
        ("best", NOTHING, "none"),
    ],
)
def test_choice_is_met(choice: levels.Choice, offer: Offer, level: str) -> None:
    assert choose(choice, offer) == level


@pytest.mark.parametrize(
    ("choice", "offer", "lacked"),
    [
        ("auto", GVISOR, "full"),
        ("auto", NOTHING, "full"),
        ("full", GVISOR, "full"),
        ("full+ns", DOCKER, "full+ns"),
        ("nofs", NOTHING, "nofs"),
        ("partial", NOTHING, "partial"),
    ],
)
def test_choice_that_cannot_be_met_is_refused_with_what_there_is(
    choice: levels.Choice, offer: Offer, lacked: levels.Level
) -> None:
    with pytest.raises(SandboxError) as refusal:
        choose(choice, offer)
    words = str(refusal.value)
    assert f'"{lacked}"' in words
    assert offer.lacking[lacked] in words
    for level in LEVELS:
        assert (f"{level} (" in words.partition("can be:")[2]) == (level in offer.offered)
    assert isinstance(refusal.value, TirError)


def test_layers_make_a_box() -> None:
    common = {"readable": (), "write_bytes": 1, "memory_bytes": 1, "base_bytes": 1}
    boxes = {level: Box(**layers(level), **common) for level in LEVELS}
    kinds = {
        level: (box.namespaces, box.landlock, box.seccomp, box.files)
        for level, box in boxes.items()
    }
    assert kinds == {
        "full+ns": (True, True, True, True),
        "full": (False, True, True, True),
        "nofs": (False, False, True, False),
        "partial": (False, False, True, True),
        "none": (False, False, False, True),
    }
    assert layers("partial", "landlock")["landlock"]
    assert not layers("partial", "landlock")["seccomp"]
    assert layers("full", "landlock") == layers("full")


PROBE = """
import asyncio, sys
import msgspec
from jupyterlab_tir.sandbox.levels import probe
sys.stdout.buffer.write(msgspec.json.encode(asyncio.run(probe())))
"""


def offered(elsewhere: Elsewhere, **machine: Any) -> Offer:
    done = elsewhere("-c", PROBE, **machine)
    assert done.returncode == 0, done.stderr
    return msgspec.json.decode(done.stdout, type=Offer)


def test_this_machine_offers_what_its_kernel_has(
    elsewhere: Elsewhere, identity: dict[str, int]
) -> None:
    found = offered(elsewhere, **identity)
    # What a level lacks must then be a layer that cannot be entered, never a hole.
    assert not [words for words in found.lacking.values() if "a boxed process" in words]
    assert found.offered[-1] == "none"
    assert set(found.offered) | found.lacking.keys() == set(LEVELS)


MACHINES = {
    "a container": (
        {UNSHARE: errno.EPERM},
        ("full", "nofs", "partial", "none"),
        {"full+ns": "user namespaces are not allowed here: Operation not permitted"},
    ),
    "user namespaces without capabilities": (
        {MOUNT: errno.EACCES},
        ("full", "nofs", "partial", "none"),
        {"full+ns": "making mounts private: Permission denied"},
    ),
    "a Linux before 5.12": (
        {OPEN_TREE: errno.ENOSYS, LANDLOCK: errno.ENOSYS},
        ("nofs", "partial", "none"),
        {"full": f"{NO_LANDLOCK}: Function not implemented"},
    ),
    "no Landlock": (
        {LANDLOCK: errno.ENOSYS},
        ("nofs", "partial", "none"),
        dict.fromkeys(("full+ns", "full"), f"{NO_LANDLOCK}: Function not implemented"),
    ),
    "Landlock switched off": (
        {LANDLOCK: errno.EOPNOTSUPP},
        ("nofs", "partial", "none"),
        dict.fromkeys(("full+ns", "full"), f"{NO_LANDLOCK}: Operation not supported"),
    ),
    "no seccomp": (
        {SECCOMP: errno.ENOSYS},
        ("partial", "none"),
        dict.fromkeys(
            ("full+ns", "full", "nofs"), "filtering system calls: Function not implemented"
        ),
    ),
    "nothing at all": (
        {SECCOMP: errno.EINVAL, LANDLOCK: errno.ENOSYS, UNSHARE: errno.EPERM},
        ("none",),
        {"partial": "filtering system calls: Invalid argument"},
    ),
}


@pytest.mark.parametrize("name", MACHINES)
def test_other_machines_offer_exactly_what_they_have(elsewhere: Elsewhere, name: str) -> None:
    refused, expected, lacking = MACHINES[name]
    here = offered(elsewhere)
    found = offered(elsewhere, refused={str(number): error for number, error in refused.items()})
    also_here = {*here.offered, "partial"}
    assert found.offered == tuple(level for level in expected if level in also_here)
    assert found.partial == ("landlock" if name == "no seccomp" else "seccomp")
    assert set(found.lacking) == set(LEVELS) - set(found.offered)
    for level, words in lacking.items():
        if level in here.offered:
            assert found.lacking[level] == words


HOLES = {
    # What is broken: for which way of confining the trial then finds what.
    "seccomp._CHECKED['kill'] = Rule(ALLOW)": ("seccomp", "ask whether another process exists"),
    "seccomp._CHECKED['clone'] = Rule(ALLOW)": ("seccomp", "start a process"),
    "seccomp._CHECKED['prlimit64'] = Rule(ALLOW)": ("seccomp", "change the limits of another"),
    "allow(socket=(41, 198), connect=(42, 203))": ("seccomp", "connect to a socket"),
    "seccomp._CHECKED['socketpair'] = seccomp._CHECKED['sendto'] = Rule(ALLOW)": (
        "seccomp",
        "send to a socket",
    ),
    "allow(process_vm_readv=(310, 270))": ("seccomp", "read the memory of another process"),
    "allow(ptrace=(101, 117))": ("seccomp", "trace another process"),
    "allow(pidfd_open=(434, 434))": ("nofs", "get hold of another process"),
    "allow(execve=(59, 221))": ("seccomp", "ended with status"),
    "seccomp._FEIGNED = seccomp._FEIGNED.replace('fchmodat', 'fchmodat2').replace(' chmod', '');"
    "allow(chmod=(90, 53), fchmodat=(268, 53))": ("seccomp", "change the mode or time of a file"),
    "seccomp._CHECKED['utimensat'] = Rule(ALLOW)": ("seccomp", "change the mode or time of a file"),
    "seccomp._OPENING.clear(); allow(openat=(257, 56), open=(2, 56))": (
        "nofs",
        "read a file outside of its folder",
    ),
    "landlock.restrict = lambda **_: None": ("landlock", "read a file outside of its folder"),
    "rlimits.limit = lambda **_: None": ("full", "have more memory than its limit"),
    "trial.readable_paths = lambda: ('/',)": ("full", "read a file outside of its folder"),
    "trial.readable_paths = lambda: ('/', '/dev/null')": (
        "full+ns",
        "see that a file exists outside of its folder",
    ),
    "namespaces._mount_tmpfs = unlimited": ("full+ns", "keep more in its folder than its limit"),
    "trial.readable_paths = lambda: ('/dev/null',)": ("full", "import a module"),
}
BREAK = """
import platform
from jupyterlab_tir.sandbox.box import landlock, namespaces, rlimits, seccomp
from jupyterlab_tir.sandbox.box.bpf import ALLOW, Rule, answer
from jupyterlab_tir.sandbox.box.syscalls import ARCHITECTURES
from jupyterlab_tir.sandbox.box.trial import __main__ as trial

def allow(**numbers):
    for name, pair in numbers.items():
        number = pair[platform.machine() == "aarch64"]
        ARCHITECTURES[platform.machine()].numbers[name] = number
        seccomp._CHECKED[name] = Rule(ALLOW)

mount = namespaces._mount_tmpfs
def unlimited(path, options):
    mount(path, options.replace("size=1048576", "size=16m"))
"""


@pytest.mark.parametrize("hole", HOLES)
def test_trial_finds_holes(elsewhere: Elsewhere, hole: str) -> None:
    way, words = HOLES[hole]
    yama = Path("/proc/sys/kernel/yama/ptrace_scope")
    if ("ptrace" in hole or "vm_readv" in hole) and yama.exists() and yama.read_text() != "0\n":
        pytest.skip("this machine's Yama keeps processes from each other already")
    # Root's children may not trace root anyway: without capabilities, who may is a user's child.
    user = {"user": 54_321} if os.geteuid() == 0 else {}
    done = elsewhere("-c", f"{BREAK}\n{hole}\ntrial.main()", **user)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert words in (found[way] or "no hole found"), found


@pytest.fixture
def fake_trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Put a program in the trial's place; it writes its number to the returned file."""

    def make(code: str) -> Path:
        note = tmp_path / "pid"
        (tmp_path / "fake_trial_of_tests.py").write_text(
            f"import os, pathlib\npathlib.Path({str(note)!r}).write_text(str(os.getpid()))\n{code}"
        )
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        monkeypatch.setattr(levels, "_TRIAL", "fake_trial_of_tests")
        return note

    return make


def gone(note: Path) -> bool:
    return not Path("/proc", note.read_text()).exists()


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("raise SystemExit('out of luck')", "the trial failed with status 1: out of luck"),
        ("os._exit(3)", "the trial failed with status 3: no words"),
        ("print('[1, 2]')", "the trial failed with status 0: no words"),
        ("os.abort()", "the trial failed with status -6: no words"),
    ],
)
async def test_failing_trial_offers_nothing_and_says_why(
    fake_trial: Callable[[str], Path], code: str, words: str
) -> None:
    fake_trial(code)
    assert await probe() == levels._nothing(words)


async def test_failing_trial_is_made_again(
    fake_trial: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_trial("os._exit(3)")
    assert (await probe()).offered == ("none",)
    monkeypatch.undo()
    assert "nofs" in (await probe()).offered


async def test_trial_that_does_not_end_is_ended(
    fake_trial: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    note = fake_trial("import time; time.sleep(600)")
    monkeypatch.setattr(levels, "_TRIAL_S", 2.0)
    found = await probe()
    assert found.lacking["full"] == "the trial did not end within 2 seconds"
    assert gone(note)


async def test_cancelled_probe_leaves_no_process(fake_trial: Callable[[str], Path]) -> None:
    note = fake_trial("import time; time.sleep(600)")
    task = asyncio.create_task(probe())
    while not (note.exists() and note.read_text()):  # noqa: ASYNC110 - another process's doing
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert gone(note)


async def test_no_program_to_try_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert "no trial could be made" in (await probe()).lacking["full"]
    monkeypatch.setattr(sys, "executable", "")
    assert "does not know its own program" in (await probe()).lacking["full"]


async def test_other_systems_have_process_limits_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    found = await probe()
    assert found.offered == ("none",)
    assert set(found.lacking) == set(LEVELS[:4])
    assert "untested" in found.lacking["full"]


def test_answer_is_remembered_for_all_threads() -> None:
    first = asyncio.run(probe())
    found: list[Offer] = []
    threads = [
        threading.Thread(target=lambda: found.append(asyncio.run(probe()))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3
    assert all(offer is first for offer in found)


def test_threads_may_ask_at_once() -> None:
    found: list[Offer] = []
    threads = [
        threading.Thread(target=lambda: found.append(asyncio.run(probe()))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2
    assert found[0] == found[1]


def test_trial_leaves_nothing_behind(elsewhere: Elsewhere, tmp_path: Path) -> None:
    code = (
        f"import tempfile; tempfile.tempdir = {str(tmp_path)!r};"
        "from jupyterlab_tir.sandbox.box.trial.__main__ import main; main()"
    )
    assert elsewhere("-c", code).returncode == 0
    assert list(tmp_path.iterdir()) == []


def _descend(offer: Offer) -> Iterator[int]:
    return (LEVELS.index(level) for level in offer.offered)


def test_levels_are_offered_strongest_first() -> None:
    order = list(_descend(asyncio.run(probe())))
    assert order == sorted(order)
