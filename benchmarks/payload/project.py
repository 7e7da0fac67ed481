"""Installs and builds the project in `project/`, again only when its files have changed."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parent / "project"
FOLDER = Path(__file__).resolve().parents[2] / "var" / "peers" / "payload"


class Missing(Exception):
    """Payload cannot be installed on this machine."""


def build() -> None:
    """Install Payload with npm and build it for production. Raises Missing without npm, or if a step fails."""
    version = digest()
    built = FOLDER / "built"
    if built.exists() and built.read_text() == version:
        return
    if not shutil.which("npm"):
        raise Missing("npm is not installed, so Payload is not measured. Install Node.js 20.9 or newer.")
    print("Payload: npm ci, next build ...", file=sys.stderr, flush=True)
    shutil.rmtree(FOLDER, ignore_errors=True)
    shutil.copytree(SOURCE, FOLDER)
    for command in (["npm", "ci", "--no-audit", "--no-fund"], [next_program(), "build"]):
        done = subprocess.run(command, cwd=FOLDER, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise Missing(f"{' '.join(command)} failed:\n{done.stdout[-3000:]}")
    built.write_text(version)


def digest() -> str:
    """Return a digest of the project's files."""
    files = sorted(path for path in SOURCE.rglob("*") if path.is_file())
    contents = [str(path.relative_to(SOURCE)).encode() + b"\0" + path.read_bytes() for path in files]
    return hashlib.sha256(b"\0".join(contents)).hexdigest()


def environment() -> dict[str, str]:
    """Return the caller's environment, without variables that change how Next.js builds."""
    kept = {name: value for name, value in os.environ.items() if name != "NODE_ENV"}
    return {**kept, "NEXT_TELEMETRY_DISABLED": "1"}


def next_program() -> str:
    return str(FOLDER / "node_modules" / ".bin" / "next")


def command(port: int) -> list[str]:
    """Return the command that serves the built project."""
    return [next_program(), "start", str(FOLDER), "--hostname", "127.0.0.1", "--port", str(port)]
