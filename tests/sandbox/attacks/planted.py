"""What lies outside the box to be stolen or spoiled: files with secrets, photographs of them."""

from __future__ import annotations

import contextlib
import fcntl
import os
import random
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

Photograph = dict[str, tuple[object, ...]]

PROBES = 16
_SET_FLAGS = 0x40086602
_ATTRIBUTE = "user.tir-attack"
_SHARED_FOLDERS = ("/tmp", "/var/tmp", "/dev", "/dev/shm", "/run", "/", "/dev/mqueue")  # noqa: S108


class Planted:
    """A home with an SSH key and the like, a folder of modules, and names to be guessed at.

    Attributes
    ----------
    token
        Part of every name that an attack makes outside, so that it is found and removed.
    secrets
        What may not be handed out, by what it is.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.token = f"tir-attack-{os.urandom(4).hex()}"
        self.home = folder / "home"
        self.library = folder / "library"
        self.probes = folder / "probes"
        names = ("ssh key", "notes", "file name", "link target", "attribute", "library file")
        self.secrets = {name: secret() for name in names}
        self.key_file = self.home / ".ssh" / "id_rsa"
        self.notes = self.home / "notes.txt"
        self.link = self.home / "link"
        self.attributes = True
        self.renew()
        self.probes.mkdir()
        draw = random.SystemRandom()
        self.there = [draw.random() < 0.5 for _ in range(PROBES)]
        for name, there in zip(self.probe_names, self.there, strict=True):
            if there:
                Path(name).write_bytes(b"x" * draw.randrange(10_000, 99_999))
        self.secrets["what exists"] = "".join("01"[there] for there in self.there)

    @property
    def probe_names(self) -> list[str]:
        """Paths of which an attack is to say which exist."""
        return [str(self.probes / f"probe-{number}") for number in range(PROBES)]

    def renew(self) -> None:
        """Plant all of it anew."""
        for folder in (self.home, self.library):
            if folder.exists():
                _open_up(folder)
                shutil.rmtree(folder)
        self.key_file.parent.mkdir(parents=True)
        self.library.mkdir()
        self.key_file.write_text(self.secrets["ssh key"], encoding="ascii")
        self.key_file.chmod(0o600)
        self.notes.write_text(self.secrets["notes"] * 10, encoding="ascii")
        (self.home / f"{self.secrets['file name']}.tex").touch()
        self.link.symlink_to(f"/nowhere/{self.secrets['link target']}")
        (self.library / "credentials.txt").write_text(
            self.secrets["library file"], encoding="ascii"
        )
        (self.home / "lure.py").write_text(f"print({self.secrets['notes']!r})\n", encoding="ascii")
        try:
            os.setxattr(self.notes, _ATTRIBUTE, self.secrets["attribute"].encode())
        except OSError:  # a file system without attributes
            self.attributes = False

    def photograph(self) -> Photograph:
        """Return what can be seen of everything planted, but for the time it was read."""
        return {path: _seen(path) for path in _walk(self.home, self.library, self.probes)}

    def strays(self) -> list[str]:
        """Return what carries the token in folders that everybody writes to."""
        found = []
        for folder in (*_SHARED_FOLDERS, tempfile.gettempdir()):
            with contextlib.suppress(OSError), os.scandir(folder) as entries:
                found += [entry.path for entry in entries if self.token in entry.name]
        return sorted(set(found))

    def remove_strays(self) -> None:
        """Remove them."""
        for path in self.strays():
            with contextlib.suppress(OSError):
                if Path(path).is_dir() and not Path(path).is_symlink():
                    shutil.rmtree(path)
                else:
                    Path(path).unlink()


def secret() -> str:
    """Return text that nothing else contains."""
    return f"planted-{os.urandom(12).hex()}"


def differences(before: Photograph, after: Photograph) -> list[str]:
    """Say in words what changed between two photographs."""
    said = []
    for path in sorted(before.keys() | after.keys()):
        if path not in after:
            said.append(f"{path} was removed")
        elif path not in before:
            said.append(f"{path} was made")
        elif before[path] != after[path]:
            said.append(f"{path} was changed")
    return said


def _walk(*folders: Path) -> Iterator[str]:
    for folder in folders:
        yield str(folder)
        for root, subfolders, files in os.walk(folder):
            yield from (os.path.join(root, name) for name in (*subfolders, *files))  # noqa: PTH118


def _seen(path: str) -> tuple[object, ...]:
    try:
        seen = os.lstat(path)
        content = Path(path).read_bytes() if stat.S_ISREG(seen.st_mode) else b""
        names = os.listxattr(path, follow_symlinks=False)
    except OSError as error:
        return (type(error).__name__,)
    return (
        content,
        names,
        seen.st_mode,
        seen.st_uid,
        seen.st_gid,
        seen.st_nlink,
        seen.st_size,
        seen.st_mtime_ns,
        seen.st_ctime_ns,
        seen.st_ino,
    )


def make_removable(folder: Path) -> None:
    """Take away the marks that keep even root from removing files."""
    for path in [folder, *folder.rglob("*")] if folder.exists() else []:
        with contextlib.suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
            try:
                fcntl.ioctl(descriptor, _SET_FLAGS, bytes(8))
            finally:
                os.close(descriptor)


def _open_up(folder: Path) -> None:
    for root, _, _ in os.walk(folder):
        with contextlib.suppress(OSError):
            Path(root).chmod(0o700)
