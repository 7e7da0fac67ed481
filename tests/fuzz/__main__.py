"""Runs schemathesis against a served site with demo data, every feature and a full token; options are passed on to it.

The worker does not run, so that no webhook or mail leaves this machine.
"""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.servers import ROOT, free_port, serving

HERE = Path(__file__).parent
SCHEMATHESIS = ROOT / ".venv-fuzz/bin/schemathesis"
#: Variables of the caller that would change the site.
DROPPED = {"DATABASE_URL", "REDIS_URL", "MEDIA_ROOT", "MEDIA_STORAGE_URL", "ALLOWED_HOSTS", "TIME_ZONE", "TRUSTED_PROXIES"}


def main(options: list[str]) -> int:
    with TemporaryDirectory(prefix="fuzz_") as folder:
        port = free_port()
        environment = {
            **{name: value for name, value in os.environ.items() if name not in DROPPED},
            "DJANGO_SETTINGS_MODULE": "config.settings.dev",
            "VAR_DIR": folder,
            "EMAIL_URL": f"file://{folder}/mail",
            "BASE_URL": f"http://127.0.0.1:{port}",
            "API_RATE_PER_MINUTE": "100000000",
            "API_ANON_RATE_PER_MINUTE": "100000000",
        }
        for words in (["migrate", "-v", "0"], ["setup_site"], ["feature", "on", "all"], ["load_demo"]):
            manage(environment, *words)
        token = manage(environment, "create_token", "fuzz", "--all-abilities")
        with serving("config.wsgi", port, environment, Path(folder) / "server.log"):
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
