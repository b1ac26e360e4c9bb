from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .driver import OURS, make_manager, start

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jupyter_client.blocking.client import BlockingKernelClient
    from jupyter_client.manager import KernelManager


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder whose path is short enough for sockets."""
    made = Path(tempfile.mkdtemp(prefix="tir-test-"))
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture
def manager(folder: Path) -> Iterator[KernelManager]:
    """The manager of a kernel of the test's own; not started."""
    made = make_manager(OURS, folder)
    yield made
    if made.has_kernel:
        made.shutdown_kernel(now=True)
    made.cleanup_resources()


@pytest.fixture
def client(manager: KernelManager, folder: Path) -> Iterator[BlockingKernelClient]:
    """A client of a kernel of the test's own."""
    started = start(manager, folder)
    yield started
    started.stop_channels()


@pytest.fixture(scope="module")
def shared() -> Iterator[BlockingKernelClient]:
    """A client of one kernel for all tests of a module that leave it as it was."""
    made = Path(tempfile.mkdtemp(prefix="tir-test-"))
    manager = make_manager(OURS, made)
    client = start(manager, made)
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    manager.cleanup_resources()
    shutil.rmtree(made, ignore_errors=True)
