from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

import pytest

from jupyterlab_tir.sandbox.box import readable
from jupyterlab_tir.sandbox.box.readable import readable_paths


def covered(path: str | Path, paths: tuple[str, ...]) -> bool:
    return any(Path(path).is_relative_to(kept) for kept in paths)


def test_standard_library_packages_and_shared_libraries_are_in() -> None:
    paths = readable_paths()
    for kind in ("stdlib", "platstdlib", "purelib", "platlib"):
        assert covered(sysconfig.get_path(kind), paths)
    assert covered(Path(sys.base_prefix, "lib"), paths)
    assert covered("/dev/urandom", paths)
    assert list(paths) == sorted(set(paths))
    assert all(Path(path).exists() for path in paths)


def test_neither_prefix_nor_home_nor_other_entries_of_the_path_are_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    paths = readable_paths()
    for outside in (sys.prefix, sys.base_prefix, Path(sys.prefix, "pip.conf"), tmp_path):
        assert not covered(outside, paths)
    for outside in ("/", "/etc", "/etc/passwd", "/usr/bin", "/proc", "/var", Path.home()):
        assert not covered(outside, paths)


def test_asked_for_modules_bring_their_own_place_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "folder_of_mine").mkdir()
    (tmp_path / "folder_of_mine" / "__init__.py").touch()
    (tmp_path / "file_of_mine.py").touch()
    (tmp_path / "private.txt").touch()
    paths = readable_paths(["folder_of_mine.deep", "file_of_mine", "not_there", "sys", "math"])
    assert covered(tmp_path / "folder_of_mine" / "x.py", paths)
    assert covered(tmp_path / "file_of_mine.py", paths)
    assert not covered(tmp_path / "private.txt", paths)


def test_links_are_in_with_what_they_lead_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.setattr(readable, "_SYSTEM", (str(tmp_path / "link"),))
    paths = readable_paths()
    assert str(tmp_path / "link") in paths
    assert str(tmp_path / "real") in paths


def test_user_site_is_in_where_it_is_in_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readable.site, "getusersitepackages", lambda: str(tmp_path))
    monkeypatch.setattr(readable.site, "ENABLE_USER_SITE", True)
    assert str(tmp_path) in readable_paths()
    monkeypatch.setattr(readable.site, "ENABLE_USER_SITE", None)
    assert str(tmp_path) not in readable_paths()


def test_site_folders_that_are_not_imported_from_are_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readable.site, "getsitepackages", lambda: [str(tmp_path)])
    assert str(tmp_path) not in readable_paths()
    monkeypatch.syspath_prepend(tmp_path)
    assert str(tmp_path) in readable_paths()
