"""Many commands that write at once beside a served site: none finds the database locked for too long."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests import serving

pytestmark = pytest.mark.long

COMMANDS, AT_ONCE = 24, 8


def create_token(variables: dict[str, str], number: int) -> tuple[int, str, str]:
    """Return the exit status, output and errors of a command."""
    command = [sys.executable, "manage.py", "create_token", f"Till {number}", "--all-abilities"]
    done = subprocess.run(command, cwd=serving.ROOT, env=variables, capture_output=True, text=True)
    return done.returncode, done.stdout.strip(), done.stderr


def test_it_works(tmp_path: Path) -> None:
    """Loading takes the commands seconds, in which each of them once had the lock of SQLite."""
    variables = serving.environment(tmp_path / "site")
    subprocess.run([sys.executable, "manage.py", "first_run"], cwd=serving.ROOT, env=variables, check=True, capture_output=True)
    with serving.served(tmp_path / "site") as site:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            done = list(pool.map(lambda number: create_token(site.environment, number), range(COMMANDS)))
        assert [(status, errors) for status, _, errors in done] == [(0, "")] * COMMANDS
        tokens = {plaintext for _, plaintext, _ in done}
        assert len(tokens) == COMMANDS
        assert all(site.status("/api/v1/content-items", token) == 200 for token in tokens)
