"""Python that is started already, for what is read apart: a process waits, and forks for each reading.

To start Python and to import its modules takes a fifth of a second, which hundreds of tests would spend. Each reading still has a
process of its own, with the environment and the limits of `cms_api.core.apart`, whose code it runs. Tests of that module itself
start real ones.
"""

import gc
import io
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import orjson

from cms_api.core import apart

_CALL = ["-P", "-m", "cms_api.core.apart"]


class _Waiting:
    """The process that waits, from the first reading on."""

    def __init__(self, folder: Path) -> None:
        self._path = str(folder / "socket")
        self._starting = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def run(
        self, command: list[str], *, input: bytes, env: dict[str, str], cwd: Path, timeout: float, **_: Any
    ) -> subprocess.CompletedProcess[bytes]:
        """Do what `subprocess.run` does with the command of `run_apart`."""
        assert command[1:4] == _CALL
        sys.audit("subprocess.Popen", command[0], command, cwd, env)
        with self._starting:
            if self._process is None:
                self._process = self._start(env, cwd)
        with (
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
            socket.socket(socket.AF_UNIX) as asked,
        ):
            given.write(input)
            given.seek(0)
            asked.settimeout(timeout)
            asked.connect(self._path)
            task = orjson.dumps(command[4:]) + b"\n"
            sent = socket.send_fds(asked, [task], [given.fileno(), out.fileno(), err.fileno()])
            asked.sendall(task[sent:])
            with asked.makefile("rb") as answer:
                pid = int(answer.readline())
                try:
                    code = int(answer.readline())
                except TimeoutError:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                    raise subprocess.TimeoutExpired(command, timeout) from None
            out.seek(0)
            err.seek(0)
            return subprocess.CompletedProcess(command, code, out.read(), err.read())

    def _start(self, env: dict[str, str], cwd: Path) -> "subprocess.Popen[bytes]":
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(self._path)
            listening.listen(64)
            number = listening.fileno()
            command = [sys.executable, "-P", "-m", "tests.apart", str(number)]
            return subprocess.Popen(command, env=env, cwd=cwd, stdin=subprocess.PIPE, pass_fds=[number])

    def close(self) -> None:
        if self._process is not None:
            assert self._process.stdin
            self._process.stdin.close()
            self._process.wait(20)


@contextmanager
def started_python() -> Iterator[Any]:
    """Yield what takes the place of the module `subprocess` in `cms_api.core.apart`."""
    with tempfile.TemporaryDirectory() as folder:
        waiting = _Waiting(Path(folder))
        try:
            yield SimpleNamespace(run=waiting.run, TimeoutExpired=subprocess.TimeoutExpired)
        finally:
            waiting.close()


def _wait(number: int) -> None:
    """Answer until the tests have ended, which closes the standard input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    listening = socket.socket(fileno=number)
    while 0 not in select.select([0, listening], [], [])[0]:
        asked, _ = listening.accept()
        _reap(os.WNOHANG)
        task, files, _, _ = socket.recv_fds(asked, 65536, 3)
        while not task.endswith(b"\n"):
            task += asked.recv(65536)
        given = orjson.loads(task)
        with suppress(Exception):
            # The process that reads raises the same.
            import_module(orjson.loads(given[2])["module"])
        gc.freeze()
        if os.fork() == 0:
            listening.close()
            _oversee(asked, files, given)
        asked.close()
        for file in files:
            os.close(file)
    _reap(0)


def _reap(options: int) -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, options)[0]:
            pass


def _oversee(asked: socket.socket, files: list[int], given: list[str]) -> None:
    """Let a child read, and tell its number and how it ended."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    pid = os.fork()
    if pid == 0:
        asked.close()
        _read(files, given)
    with suppress(BrokenPipeError, ConnectionResetError):
        asked.sendall(b"%d\n" % pid)
        asked.sendall(b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    os._exit(0)


def _read(files: list[int], given: list[str]) -> None:
    code = 1
    try:
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        sys.stdin = io.TextIOWrapper(io.BufferedReader(cast(Any, io.FileIO(0))))
        apart._main(*given)
        sys.stdout.flush()
        code = 0
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    _wait(int(sys.argv[1]))
