"""The web server, started with an application of the test's own."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from cms_api.gateway.serving.listener import listen
from tests.serving import PATIENCE, ROOT


@dataclass
class EchoServer:
    port: int
    process: subprocess.Popen[bytes]

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def ask(self, raw: bytes) -> bytes:
        """Send bytes on a connection of their own; return everything until the server closes it."""
        with self.connect() as connection:
            connection.sendall(raw)
            return read_to_end(connection)


def read_to_end(connection: socket.socket) -> bytes:
    received = b""
    while chunk := connection.recv(65536):
        received += chunk
    return received


def read_until(connection: socket.socket, end: bytes) -> bytes:
    received = b""
    while not received.endswith(end):
        chunk = connection.recv(65536)
        assert chunk, "The connection was closed."
        received += chunk
    return received


@pytest.fixture(scope="module")
def echo() -> Iterator[EchoServer]:
    with echo_server() as server:
        yield server


@contextmanager
def echo_server(module: str = "echo") -> Iterator[EchoServer]:
    """Run a server until the block ends, then check that it stops as asked."""
    with listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        command = [
            sys.executable,
            "-m",
            "cms_api.gateway.serving.server",
            str(listener.fileno()),
            f"tests.gateway.serving.{module}.application",
        ]
        environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'site'}{os.pathsep}{ROOT}"}
        process = subprocess.Popen(command, cwd=ROOT, env=environment, pass_fds=[listener.fileno()])
    try:
        yield EchoServer(port, process)
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
