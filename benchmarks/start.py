"""CPU of a trivial command, of a web process until it is ready, of its first page, and of pages made anew.

Everything is compared with `django-admin version`, which loads Django and no project, run beside it.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from .servers import KINDS, ROOT, environment_of, made

ITEMS = 500
#: How many times the CPU of `django-admin version` each may take, some 100 ms.
BARS = {"manage.py version": 12, "first page": 1.0, "home page": 0.08, "list": 0.08, "item": 0.08}
DJANGO = "django-admin version"
PAGES = {"home page": "/", "list": "/article", "item": "/article/article-7"}
DEMO = {"home page": "/", "list": "/blog-post", "item": "/blog-post/the-new-kiln-is-lit"}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.start", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="times that everything is run, in turn (7)")
    parser.add_argument("--demo", action="store_true", help="on the demo site, which takes minutes to load")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="benchmark-") as scratch:
        samples = measured(Path(scratch), options.rounds, demo=options.demo)
    missed = False
    print(f"{'':24} {'CPU':>10}  times {DJANGO}")
    for name, each in samples.items():
        ratio = statistics.median(own / bare for own, bare in zip(each, samples[DJANGO], strict=True))
        is_over = ratio > BARS.get(name, ratio)
        missed = missed or is_over
        print(f"{name:24} {statistics.median(each):7.1f} ms  {ratio:6.3f}{'  MISSED' if is_over else ''}")
    return 1 if missed else 0


def measured(folder: Path, rounds: int, *, demo: bool) -> dict[str, list[float]]:
    """Return milliseconds of CPU by name, one for each round."""
    kind = replace(KINDS["ours"], settings="config.settings.dev")
    environment = environment_of(kind, folder, 80, "") | {"BASE_URL": "http://127.0.0.1"}
    rival = environment_of(KINDS["rival"], folder, 80, "")
    pages = DEMO if demo else PAGES
    if demo:
        run([sys.executable, "manage.py", "first_run"], environment)
    else:
        made(kind.maker, ITEMS, environment)
    django = [sys.executable, "-m", "django", "version"]
    commands: dict[str, tuple[Sequence[str], dict[str, str]]] = {
        DJANGO: (django, {name: value for name, value in environment.items() if name != "DJANGO_SETTINGS_MODULE"}),
        "a Wagtail project's": (django, rival),
        "manage.py version": ([sys.executable, "manage.py", "version"], environment),
    }
    samples: dict[str, list[float]] = {}
    run([sys.executable, "-m", "benchmarks.first_page", *pages.values()], environment)
    for _ in range(rounds):
        for name, (command, variables) in commands.items():
            before = children()
            run(command, variables)
            samples.setdefault(name, []).append(children() - before)
        found = json.loads(run([sys.executable, "-m", "benchmarks.first_page", *pages.values()], environment).splitlines()[-1])
        names = {"web process until ready": "start", "first page": "first"} | pages
        for name, key in names.items():
            samples.setdefault(name, []).append(found[key])
    return samples


def run(command: Sequence[str], environment: dict[str, str]) -> str:
    return subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


def children() -> float:
    """Return the CPU of the processes that have ended, in milliseconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (used.ru_utime + used.ru_stime)


if __name__ == "__main__":
    sys.exit(main())
