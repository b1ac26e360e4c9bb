"""Listeners outside the box, of every kind that can be reached, which remember what they heard."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pty
import socket
import tty
from pathlib import Path
from typing import Any


class Listeners:
    """TCP on IPv4 and IPv6, UDP, Unix sockets with and without a path, and a terminal.

    Attributes
    ----------
    heard
        One entry for each connection or datagram.
    """

    def __init__(self, folder: Path, token: str) -> None:
        self.heard: list[str] = []
        self.stream_path = str(folder / "stream")
        self.datagram_path = str(folder / "datagram")
        self.abstract = token
        self.tcp = self.tcp6 = self.udp = 0
        self.terminal = ""
        self._master = self._slave = -1
        self._closing = contextlib.AsyncExitStack()

    async def open(self) -> None:
        """Begin to listen."""
        self.tcp = await self._serve("TCP connection", host="127.0.0.1", port=0)
        with contextlib.suppress(OSError):  # a machine without IPv6
            self.tcp6 = await self._serve("TCP connection by IPv6", host="::1", port=0)
        await self._serve("connection to a Unix socket", path=self.stream_path)
        await self._serve("connection to an abstract socket", path=f"\0{self.abstract}")
        self.udp = await self._receive("datagram by UDP", local_addr=("127.0.0.1", 0))
        await self._receive(
            "datagram to a Unix socket", local_addr=self.datagram_path, family=socket.AF_UNIX
        )
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        os.set_blocking(self._slave, False)
        self.terminal = os.ttyname(self._slave)
        loop = asyncio.get_running_loop()
        for descriptor, what in ((self._master, "text on"), (self._slave, "typing at")):
            loop.add_reader(descriptor, self._read, descriptor, f"{what} a terminal")
            self._closing.callback(os.close, descriptor)
            self._closing.callback(loop.remove_reader, descriptor)

    async def close(self) -> None:
        """Stop listening."""
        await self._closing.aclose()

    def _read(self, descriptor: int, what: str) -> None:
        with contextlib.suppress(OSError):
            if os.read(descriptor, 4096):
                self.heard.append(what)

    async def _serve(self, what: str, **where: Any) -> int:
        async def accept(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self.heard.append(what)
            writer.close()

        start = asyncio.start_unix_server if "path" in where else asyncio.start_server
        server: asyncio.Server = await start(accept, **where)
        self._closing.callback(server.close)
        name = server.sockets[0].getsockname()
        return name[1] if isinstance(name, tuple) else 0

    async def _receive(self, what: str, **where: Any) -> int:
        heard = self.heard

        class Hears(asyncio.DatagramProtocol):
            def datagram_received(self, data: bytes, address: Any) -> None:  # noqa: ARG002
                heard.append(what)

        loop = asyncio.get_running_loop()
        transport, _ = await loop.create_datagram_endpoint(Hears, **where)
        self._closing.callback(transport.close)
        name = transport.get_extra_info("sockname")
        return name[1] if isinstance(name, tuple) else 0
