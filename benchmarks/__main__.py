"""Measures the content API beside its rivals and prints a table of ratios: `python -m benchmarks --help`."""

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from .cases import CASES
from .load import WrongAnswer, measure
from .payload import project
from .report import Row, Samples, rows, table
from .servers import Server, running

POSTGRESQL = "postgresql://postgres@127.0.0.1:5432"


def main() -> int:
    options = arguments()
    if options.peers:
        try:
            project.build()
        except project.Missing as problem:
            say(str(problem))
            return 2
    names = [name for name in CASES if runs(name, options)]
    counts = dict.fromkeys(("rival", "payload", "floor", "sqlite", "ours"), options.items) | {"large": options.large}
    absent = ({"sqlite", "ours", "large"} if options.without_ours else set()) | (set() if options.peers else {"payload"})
    absent |= {"sqlite"} if options.database == "sqlite" else set()
    needed = {server for name in names for server in CASES[name].servers} - absent
    found: list[Row] = []
    samples: dict[str, Samples] = {}
    failed = False
    with ExitStack() as stack:
        scratch = options.data or stack.enter_context(tempfile.TemporaryDirectory(prefix="benchmark-"))
        folder = Path(scratch).resolve()
        postgresql = options.postgresql if options.database == "postgresql" else ""
        servers: dict[str, Server] = {}
        for name in (name for name in counts if name in needed):
            say(f"{name}: {counts[name]:,} items ...")
            kind = "ours" if name in {"large", "sqlite"} else name
            database, redis = ("sqlite", "") if name == "sqlite" else (options.database, options.redis)
            place = folder / f"{database}-{kind}-{counts[name]}"
            url = postgresql if database == "postgresql" else ""
            server = running(kind, counts[name], place, url, redis=redis, keep=bool(options.data))
            servers[name] = stack.enter_context(server)
        for name in names:
            say(f"{name} ...")
            try:
                targets = CASES[name].targets(servers)
                samples[name] = measure(targets, requests=options.requests, rounds=options.rounds, seconds=options.seconds)
            except (WrongAnswer, OSError) as problem:
                failed = True
                say(f"{name} is left out. {problem}")
                continue
            found += rows(name, CASES[name], samples[name])
    print(table(found))
    if options.json:
        options.json.write_text(json.dumps(document(options, found, samples), indent=1))
    return 1 if failed else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--items", type=bounded(400, 1_000_000), default=10_000, help="items on every server (10000)")
    parser.add_argument("--large", type=bounded(0, 1_000_000), default=100_000, help="items of ours alone; 0: none (100000)")
    parser.add_argument("--rounds", type=bounded(1, 50), default=4, help="blocks a target (4)")
    parser.add_argument("--requests", type=bounded(1, 10_000), default=100, help="of the slowest target in a block (100)")
    parser.add_argument("--seconds", type=bounded(1, 600), default=60, help="the longest that a block may take (60)")
    parser.add_argument("--case", action="append", choices=list(CASES), help="only this one; may be repeated")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every sample there too")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="keep the data there, until the schema changes")
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--postgresql", default=POSTGRESQL, metavar="URL", help=f"where databases may be made ({POSTGRESQL})")
    parser.add_argument("--redis", default="", metavar="URL", help="with PostgreSQL, ours also uses this Redis")
    parser.add_argument("--peers", action="store_true", help="Payload too, which npm installs and builds in var/peers")
    parser.add_argument("--without-ours", action="store_true", help="the rivals and the floor alone")
    return parser.parse_args()


def bounded(lowest: int, highest: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not lowest <= int(text) <= highest:
            raise argparse.ArgumentTypeError(f"must be from {lowest} to {highest}")
        return int(text)

    return parse


def runs(name: str, options: argparse.Namespace) -> bool:
    """Return whether a case was requested and has the servers it needs."""
    servers = CASES[name].servers
    if options.case and name not in options.case:
        return False
    return "rival" in servers or not (options.without_ours or ("large" in servers and not options.large))


def document(options: argparse.Namespace, found: list[Row], samples: dict[str, Samples]) -> dict[str, object]:
    return {
        "machine": {"cores": os.cpu_count(), "system": platform.platform(), "python": platform.python_version()},
        "options": {name: value if isinstance(value, int | list | None) else str(value) for name, value in vars(options).items()},
        "rows": [{**asdict(row), "met": row.met} for row in found],
        "samples": {
            case: {target: [asdict(sample) for sample in taken] for target, taken in by_target.items()}
            for case, by_target in samples.items()
        },
    }


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
