"""Reads content that others wrote in a process of its own, with limits of processor time, time and memory.

`run_apart(read_busy, content)` runs `python -m cms_api.core.apart`, which has no settings and no database: the function and what
it imports do without. It gets bytes, and arguments that JSON can have, and returns what JSON can have: no more than the caller
needs, as the caller has no limits of its own. `read_upload` does so for the files of forms.
"""

import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import orjson

from .errors import Invalid
from .processes import obey_parent_alone

_ROOT = Path(__file__).resolve().parents[2]
#: Bytes of the JSON that is returned: an email of the largest size has its files in it.
MAX_RESULT_BYTES = 100_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    #: Of the processor, and of the clock on a busy host.
    cpu_seconds: int = 10
    seconds: float = 60
    memory_bytes: int = 1_000_000_000


class ReadingFailed(Exception):
    """Nothing could be read. The message completes the sentence "The calendar ..."."""


DEFAULT = Limits()
SLOW, LARGE, BROKEN = "takes too long to read.", "needs too much memory to read.", "can't be read."


def run_apart(function: Callable[..., Any], content: bytes, *arguments: Any, limits: Limits = DEFAULT) -> Any:
    """Return what a function of a module returns for some bytes. Raises the Invalid that it raises, and ReadingFailed."""
    # The process that reads does without Django.
    from .locks import refuse_in_transaction

    refuse_in_transaction("Reading what others wrote")
    task = {"module": function.__module__, "name": function.__qualname__, "arguments": arguments}
    given = [str(limits.cpu_seconds), str(limits.memory_bytes), orjson.dumps(task).decode()]
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "cms_api.core.apart", *given],
            input=content,
            env={"PYTHONPATH": str(_ROOT), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"},
            cwd=_ROOT,
            capture_output=True,
            timeout=limits.seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ReadingFailed(SLOW) from None
    if done.returncode == -signal.SIGXCPU:
        raise ReadingFailed(SLOW)
    try:
        report = orjson.loads(done.stdout)
    except orjson.JSONDecodeError:
        report = {}
    if "refused" in report:
        raise Invalid(report["refused"])
    if done.returncode or "result" not in report:
        raise ReadingFailed(report.get("failed", BROKEN))
    return report["result"]


def read_upload(function: Callable[..., Any], content: bytes, *arguments: Any, limits: Limits = DEFAULT) -> Any:
    """Return what a function reads in an uploaded file, as `run_apart` does. Raises Invalid (`file`) if it cannot be read."""
    try:
        return run_apart(function, content, *arguments, limits=limits)
    except ReadingFailed as problem:
        raise Invalid({"file": f"The file {problem}"}) from None


def _main(cpu_seconds: str, memory_bytes: str, task: str) -> None:
    obey_parent_alone()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # At the second limit, the kernel kills without saying why.
    resource.setrlimit(resource.RLIMIT_CPU, (int(cpu_seconds), int(cpu_seconds) + 1))
    resource.setrlimit(resource.RLIMIT_AS, (int(memory_bytes), int(memory_bytes)))
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    given = orjson.loads(task)
    report: dict[str, Any]
    try:
        function = getattr(import_module(given["module"]), given["name"])
        report = {"result": function(sys.stdin.buffer.read(), *given["arguments"])}
    except Invalid as refusal:
        report = {"refused": refusal.errors}
    except MemoryError:
        report = {"failed": LARGE}
    except RecursionError:
        report = {"failed": BROKEN}
    answer = orjson.dumps(report)
    if len(answer) > MAX_RESULT_BYTES:
        answer = orjson.dumps({"failed": LARGE})
    sys.stdout.buffer.write(answer)


if __name__ == "__main__":
    _main(*sys.argv[1:])
