"""Functions that a process of its own runs: they have no settings."""

import os
import signal
import sys
from typing import Any

from cms_api.core.apart import MAX_RESULT_BYTES
from cms_api.core.errors import Invalid


def count(content: bytes, *arguments: Any) -> list[Any]:
    return [len(content), *arguments, "django" in sys.modules]


def spin(content: bytes, *arguments: Any) -> None:
    while True:
        pass


def take_memory(content: bytes) -> int:
    return len(bytearray(4_000_000_000))


def nest(content: bytes) -> int:
    return 1 + nest(content)


def answer_at_length(content: bytes) -> list[str]:
    return ["x" * (MAX_RESULT_BYTES // 100)] * 100


def refuse(content: bytes) -> None:
    raise Invalid({"file": "It is no file of ours."})


def fail(content: bytes) -> None:
    raise RuntimeError("no luck")


def go_on(content: bytes) -> str:
    os.kill(os.getpid(), signal.SIGTERM)
    return "done"


def die(content: bytes) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)
