"""Browser tests that needed a second try are listed, and three of them fail a run."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: A test that fails the first time.
FLAKY = """
import pytest
from pathlib import Path

@pytest.mark.parametrize("number", range({tests}))
def test_it(number):
    tried = Path(__file__).with_name(f"tried-{{number}}")
    if not tried.exists():
        tried.touch()
        pytest.fail("first try")
"""


@pytest.mark.parametrize(
    ("tests", "status", "processes"), [(2, 0, []), (3, 1, ["-n", "2"])], ids=["two in one process", "three in two processes"]
)
def test_it_works(tests: int, status: int, processes: list[str], tmp_path: Path) -> None:
    (tmp_path / "test_flaky.py").write_text(FLAKY.format(tests=tests))
    (tmp_path / "pytest.ini").write_text("[pytest]")
    command = [sys.executable, "-m", "pytest", "-p", "tests.second_tries", "-p", "no:django", "--reruns", "1", *processes, "."]
    ran = subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert ran.returncode == status, ran.stdout
    assert "test_flaky.py::test_it[1]" in ran.stdout.partition("Tests that needed a second try")[2]
    assert ("which fails the run" in ran.stdout) == bool(status)
