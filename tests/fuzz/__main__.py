"""Runs schemathesis against a served site with demo data, every feature and a full token; options are passed on to it.

The worker does not run, so that no webhook or mail leaves this machine.
"""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.servers import KINDS, ROOT, environment_of, free_port, serving

HERE = Path(__file__).parent
SCHEMATHESIS = ROOT / ".venv-fuzz/bin/schemathesis"
OURS = KINDS["ours"]


def main(options: list[str]) -> int:
    with TemporaryDirectory(prefix="fuzz_") as folder:
        port = free_port()
        environment = environment_of(OURS, Path(folder), port, "") | {"EMAIL_URL": f"file://{folder}/mail"}
        for words in (["migrate", "-v", "0"], ["setup_site"], ["feature", "on", "all"], ["load_demo"]):
            manage(environment, *words)
        token = manage(environment, "create_token", "fuzz", "--all-abilities")
        with serving(OURS, port, environment, Path(folder) / "server.log"):
            return fuzz(f"http://127.0.0.1:{port}/api/v1", token, options, folder)


def manage(environment: dict[str, str], *words: str) -> str:
    command = [sys.executable, "manage.py", *words]
    return subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def fuzz(api: str, token: str, options: list[str], folder: str) -> int:
    command = [str(SCHEMATHESIS), "--config-file", str(HERE / "schemathesis.toml"), "run", f"{api}/openapi.json"]
    command += ["--header", f"Authorization: Bearer {token}", "--continue-on-failure", *options]
    known = {"SCHEMATHESIS_HOOKS": "tests.fuzz.hooks", "FUZZ_API": api, "FUZZ_TOKEN": token, "PYTHONPATH": str(ROOT)}
    # It keeps what it finds in the working directory.
    return subprocess.run(command, cwd=folder, env={**os.environ, **known}).returncode


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
