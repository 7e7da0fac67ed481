"""Jobs run apart: one that hangs, dies or fails stops no other, and no worker; two workers run each once."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from benchmarks.servers import processes_below
from tests.conftest import copy_database
from tests.serving import ROOT, environment

pytestmark = pytest.mark.long

#: Seconds that starting, and being stopped at a deadline, may take on a busy machine.
WAIT_SECONDS = 120
#: Seconds in which a worker ends, though its jobs ignore signals.
STOP = 40


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    copy_database(tmp_path / "db.sqlite3")
    settings = {"DJANGO_SETTINGS_MODULE": "tests.core.planted_jobs.settings", "PLANTED_JOBS_FILE": str(tmp_path / "begun")}
    return environment(tmp_path, **settings)


@contextmanager
def worker(variables: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """Run a worker; whatever is left of it in the end is killed."""
    command = [sys.executable, "manage.py", "worker"]
    process = subprocess.Popen(command, cwd=ROOT, env=variables, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def begun(folder: Path) -> Counter[str]:
    """How often each job has begun."""
    path = folder / "begun"
    return Counter(path.read_text().split()) if path.exists() else Counter()


def errors(folder: Path) -> dict[str, str]:
    with closing(sqlite3.connect(folder / "db.sqlite3", timeout=20)) as database:
        return dict(database.execute("SELECT name, last_error FROM core_periodicjob WHERE last_error <> ''"))


def wait_until(is_met: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not is_met():
        assert time.monotonic() < deadline
        time.sleep(0.2)


EXPECTED = {
    "sleeping": "It took longer than 3 seconds.",
    "spinning": "It took longer than 3 seconds.",
    "stubborn": "It took longer than 3 seconds.",
    "greedy": "MemoryError()",
    "failing": "RuntimeError('no luck')",
    "killed": "Its process was ended: Killed.",
}


def test_the_others_go_on(variables: dict[str, str], tmp_path: Path) -> None:
    with worker(variables) as process:
        wait_until(lambda: errors(tmp_path).keys() >= EXPECTED.keys())
        found = errors(tmp_path)
        assert {name: found[name] for name in EXPECTED} == EXPECTED
        before = begun(tmp_path)["fine"]
        wait_until(lambda: begun(tmp_path)["fine"] > before + 2)
        assert json.loads(manage(variables, "status", "--json"))["worker"] == "running"
        process.terminate()
        assert process.wait(STOP) == 0
    assert json.loads(manage(variables, "status", "--json"))["worker"] == "missing"
    with closing(sqlite3.connect(tmp_path / "db.sqlite3")) as database:
        assert database.execute("SELECT count(*) FROM core_periodicjob WHERE leased_by <> ''").fetchone() == (0,)


def manage(variables: dict[str, str], *words: str) -> str:
    command = [sys.executable, "manage.py", *words]
    return subprocess.run(command, cwd=ROOT, env=variables, check=True, stdout=subprocess.PIPE, text=True).stdout


QUEUE_TASKS = """
from django_q.tasks import async_task
for name in ("sleep", "refuse_to_end", "die", "note_task"):
    async_task(f"tests.core.planted_jobs.services.{name}")
"""


def test_a_task_that_hangs_or_dies_stops_no_other(variables: dict[str, str], tmp_path: Path) -> None:
    """The queue runs one after the other."""
    manage(variables, "shell", "--command", QUEUE_TASKS)
    with worker(variables):
        wait_until(lambda: begun(tmp_path)["task:fine"] > 0)
        wait_until(lambda: len(tasks(tmp_path)) == 4)
    assert begun(tmp_path)["task:endless"] == 1
    assert tasks(tmp_path) == {"sleep": False, "refuse_to_end": False, "die": False, "note_task": True}


def tasks(folder: Path) -> dict[str, bool]:
    """Whether each task that has ended has succeeded."""
    with closing(sqlite3.connect(folder / "db.sqlite3", timeout=20)) as database:
        rows = database.execute("SELECT func, success FROM django_q_task")
        return {func.rpartition(".")[2]: bool(success) for func, success in rows}


def test_what_is_told_to_end_with_its_worker_is_begun_again(variables: dict[str, str], tmp_path: Path) -> None:
    """Some systems that stop a service send SIGTERM to all of its processes."""
    variables |= {"PLANTED_SECONDS": "600", "PLANTED_TIMEOUT": "50"}
    manage(variables, "shell", "--command", QUEUE_LASTING_TASK)
    lasting = ("lasting", "task:lasting")
    with worker(variables) as process:
        wait_until(lambda: begun(tmp_path).keys() >= {*lasting})
        for group in {os.getpgid(pid) for pid in (process.pid, *processes_below(process.pid))}:
            os.killpg(group, signal.SIGTERM)
        assert process.wait(STOP) == 0
    assert "lasting" not in errors(tmp_path)
    assert tasks(tmp_path) == {}
    before = begun(tmp_path)
    with worker(variables):
        wait_until(lambda: all(begun(tmp_path)[name] > before[name] for name in lasting))


QUEUE_LASTING_TASK = """
from django_q.tasks import async_task
async_task("tests.core.planted_jobs.services.last_as_task")
"""


def test_run_due_runs_all_the_same(variables: dict[str, str], tmp_path: Path) -> None:
    names = manage(variables, "run_due").split()
    assert {*EXPECTED, "fine"} <= set(names)
    found = errors(tmp_path)
    assert {name: found[name] for name in EXPECTED} == EXPECTED
    assert set(begun(tmp_path).values()) == {1}


def test_a_second_worker_takes_over_from_one_that_is_killed(variables: dict[str, str], tmp_path: Path) -> None:
    with worker(variables):
        wait_until(lambda: begun(tmp_path).keys() >= {"fine", "failing"})
    with worker(variables):
        before = begun(tmp_path)
        wait_until(lambda: all(begun(tmp_path)[name] > before[name] for name in ("fine", "failing")))
