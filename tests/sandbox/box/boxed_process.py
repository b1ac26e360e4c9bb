"""Run by the tests of the box: executes code in a boxed child, and looks at it from outside.

Reads JSON objects from stdin, one a line, and prints one for each. The processes are those of a
kernel: this one stands outside, the next is the warm process, and the one that this forks is boxed.

In `code`: `say(value)` adds to what is printed, `tried(call)` returns "done" or the name of the
error, `outside` is a folder not meant for the child (with the file `secret`), `installed` a file
that it may read and not change, as those of the installation, `own` its folder, `outsider` and
`warm` the numbers of the processes outside. `before` runs in the child before it is boxed.

Whatever code tries to change is planted here: where a box is broken, and it may be on purpose, it
must be such a file that is harmed, not one of the machine's.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

import msgspec

from jupyterlab_tir.sandbox import box as confinement
from jupyterlab_tir.sandbox.box import landlock as landlock_layer
from jupyterlab_tir.sandbox.box.readable import readable_paths


class Spec(msgspec.Struct):
    code: str
    before: str = ""
    namespaces: bool = False
    landlock: bool = False
    seccomp: bool = False
    files: bool = True
    write_bytes: int = 1 << 20
    memory_bytes: int = 1 << 28
    abi: int = landlock_layer.HIGHEST_ABI
    threads: int = 0
    through_link: bool = False
    outside_is_readable: bool = False


def tried(call) -> str:  # noqa: ANN001 - whatever can be called
    try:
        call()
    except OSError as error:
        return errno.errorcode[error.errno] if error.errno else str(error)
    except (MemoryError, ImportError, RuntimeError) as error:
        return type(error).__name__
    return "done"


def plant(base: Path) -> tuple[Path, Path]:
    """Make a file that code may read, and one that it may not."""
    installed, secret = base / "installation" / "module.py", base / "outside" / "secret"
    installed.parent.mkdir()
    installed.write_text("kept")
    secret.parent.mkdir(mode=0o700)
    secret.write_text("kept")
    os.utime(secret, (1e9, 1e9))
    return installed, secret


def run(spec: Spec, base: Path) -> dict[str, object]:
    installed, secret = plant(base)
    installation, outside = installed.parent, secret.parent
    kernels = base / "kernels"
    if spec.through_link:
        (base / "real").mkdir()
        kernels.symlink_to("real")
    own = kernels / "k1"
    for name in ("k1", "k2"):
        (kernels / name / "w").mkdir(parents=True)
    (kernels / "k2" / "w" / "theirs").write_text("theirs")
    ours, theirs = os.pipe()
    go, on = os.pipe()
    outsider = os.getpid()
    warm = os.fork()
    if warm == 0:
        status = 1
        try:
            readable = [installation, *[outside] * spec.outside_is_readable]
            box = make_box(spec, list(map(str, readable)))
            confinement.prepare(box)
            if box.namespaces:
                confinement.enter_namespaces(str(kernels), box.readable)
            child = os.fork()
            if child == 0:
                os.close(on)
                names = {
                    "outside": str(outside),
                    "own": str(own),
                    "installed": str(installed),
                    "outsider": outsider,
                    "warm": os.getppid(),
                }
                be_boxed(spec, box, theirs, go, names)
            os.waitpid(child, 0)
            status = 0
        except OSError as error:
            os.write(theirs, json.dumps({"failed": error.strerror or str(error)}).encode())
        finally:
            os._exit(status)
    os.close(theirs)
    os.close(go)
    found: dict[str, object] = {"said": []}
    with os.fdopen(ours, encoding="utf-8") as report:
        for line in report:
            news = json.loads(line)
            if "ready" in news:
                found["status"] = seen_from_outside(news["ready"])
                os.write(on, b"!")
            elif "said" in news:
                found["said"].append(news["said"])
            else:
                found |= news
    os.waitpid(warm, 0)
    found["outside"] = {
        "names": sorted(path.name for path in outside.iterdir()),
        "secret": secret.read_text() if secret.exists() else None,
        "mode": secret.stat().st_mode & 0o777 if secret.exists() else None,
        "time": secret.stat().st_mtime if secret.exists() else None,
    }
    found["installation"] = {path.name: path.read_text() for path in installation.iterdir()}
    found["kept"] = sorted(path.name for path in (own / "w").iterdir())
    return found


def make_box(spec: Spec, readable: list[str]) -> confinement.Box:
    landlock_layer.HIGHEST_ABI = spec.abi
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return confinement.Box(
        namespaces=spec.namespaces,
        landlock=spec.landlock,
        seccomp=spec.seccomp,
        files=spec.files,
        readable=(*readable_paths(), *readable),
        write_bytes=spec.write_bytes,
        memory_bytes=spec.memory_bytes,
        base_bytes=pages * os.sysconf("SC_PAGE_SIZE"),
    )


def be_boxed(
    spec: Spec, box: confinement.Box, report: int, go: int, known: dict[str, str | int]
) -> None:
    def tell(**news: object) -> None:
        os.write(report, json.dumps(news).encode() + b"\n")

    names = {
        "say": lambda value: tell(said=value),
        "tried": tried,
        **known,
    }
    try:
        exec(spec.before, names)  # noqa: S102 - the tests' own
        confinement.confine(box, str(known["own"]))
        for _ in range(spec.threads):
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        confinement.seal(box)
        tell(ready=os.getpid())
        os.read(go, 1)
        exec(spec.code, names)  # noqa: S102 - the tests' own
    except Exception as error:  # noqa: BLE001 - whatever it is, the test shall read it
        tell(failed=f"{type(error).__name__}: {error}")
    finally:
        os._exit(0)


def seen_from_outside(pid: int) -> dict[str, object]:
    """Return what the system says about a process: its status, by thread, and its limits."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    status = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
    threads = [
        next(line.split()[1] for line in path.read_text().splitlines() if "Seccomp:" in line)
        for path in Path(f"/proc/{pid}/task").glob("*/status")
    ]
    limits = {
        line[:26].strip(): line[26:].split()[:2]
        for line in Path(f"/proc/{pid}/limits").read_text().splitlines()[1:]
    }
    return {"status": status, "threads": threads, "limits": limits}


def main() -> None:
    for line in sys.stdin.buffer:
        spec = msgspec.json.decode(line, type=Spec)
        base = Path(tempfile.mkdtemp(prefix="tir-boxed-"))
        try:
            print(json.dumps(run(spec, base)), flush=True)  # noqa: T201 - that is what it is for
        finally:
            with contextlib.suppress(OSError):
                shutil.rmtree(base)


if __name__ == "__main__":
    main()
