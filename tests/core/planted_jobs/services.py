"""The functions of the planted jobs."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path


def _note(name: str) -> None:
    with Path(os.environ["PLANTED_JOBS_FILE"]).open("a") as file:
        file.write(f"{name}\n")


def work() -> None:
    _note("fine")


def last() -> None:
    _note("lasting")
    time.sleep(float(os.environ.get("PLANTED_SECONDS", "0")))


def last_as_task() -> None:
    _note("task:lasting")
    time.sleep(float(os.environ["PLANTED_SECONDS"]))


def fail() -> None:
    _note("failing")
    raise RuntimeError("no luck")


def sleep() -> None:
    _note("sleeping")
    time.sleep(3600)


def spin() -> None:
    _note("spinning")
    while True:
        pass


def ignore_signals() -> None:
    _note("stubborn")
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(3600)


def take_memory() -> None:
    _note("greedy")
    bytearray(4_000_000_000)


def refuse_to_end() -> None:
    _note("task:endless")
    while True:
        with suppress(BaseException):
            time.sleep(3600)


def note_task() -> None:
    _note("task:fine")


def die() -> None:
    _note("killed")
    os.kill(os.getpid(), signal.SIGKILL)
