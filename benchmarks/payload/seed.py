"""Fills an empty database of Payload through its Local API: `python -m benchmarks.payload.seed COUNT` prints the ids as JSON."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

from benchmarks.dataset import CATEGORIES, IMAGES, article, picture

from . import fields_of
from .project import FOLDER

API_KEY = "6f1d1b0a-0f5e-4f0c-9a53-3f8f5f1f2c11"


def seed(count: int, folder: Path) -> str:
    """Create `count` published articles in `folder`; return the facts as JSON."""
    pictures = folder / "pictures"
    pictures.mkdir(exist_ok=True)
    paths = [pictures / f"picture-{number}.png" for number in range(1, IMAGES + 1)]
    for number, path in enumerate(paths, 1):
        path.write_bytes(picture(number))
    # Outside production, Payload creates its tables by itself.
    environment = {**os.environ, "NODE_ENV": "development"}
    command = ["node", str(FOLDER / "seed.js")]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        rest = {"categories": CATEGORIES, "pictures": [str(path) for path in paths], "apiKey": API_KEY}
        process.stdin.write(json.dumps(rest) + "\n")
        for number in range(count):
            process.stdin.write(json.dumps(fields_of(article(number))) + "\n")
        process.stdin.close()
        facts = process.stdout.read().strip().splitlines()[-1]
    if process.returncode:
        raise SystemExit("seed.js failed.")
    with sqlite3.connect(folder / "payload.sqlite3") as database:
        database.execute("ANALYZE")
    return facts


if __name__ == "__main__":
    print(seed(int(sys.argv[1]), Path(os.environ["VAR_DIR"])))
