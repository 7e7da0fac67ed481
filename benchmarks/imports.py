"""CPU cost of importing files of many contacts and subscribers, compared with writing the rows one by one.

`python -m benchmarks.imports`, on SQLite or, with --postgresql, on a database of its own there.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .recurrence import POSTGRESQL, migrated_site, spent

ROWS, SAMPLE_ROWS = 50_000, 1_000
#: How much faster rows of an import must be written than one by one.
MIN_SPEEDUP = 2.0


def main() -> int:
    options = arguments()
    with migrated_site(options.postgresql):
        from django.core.management import call_command

        for feature in ("crm", "marketing"):
            call_command("feature", "on", feature, stdout=sys.stderr)
        if options.profile:
            profiled(options.kind, options.rows)
            return 0
        missed = [kind for kind in options.kind if not measured(kind, options.rows, options.sample)]
    return 1 if missed else 0


def measured(kind: str, rows: int, sample: int) -> bool:
    """Import a file twice, so that the second run finds every record; return whether the first was fast enough."""
    from .report import ratio_text

    alone = each(f"{kind}: {sample:,} one by one", sample, lambda: one_by_one(kind, sample))
    content = file(kind, rows)
    first = each(f"{kind}: {rows:,} imported", rows, lambda: imported(kind, content, rows, new=rows))
    each(f"{kind}: the same {rows:,} again", rows, lambda: imported(kind, content, rows, new=0))
    missed = first / alone > 1 / MIN_SPEEDUP
    print(f"{kind}: CPU of an imported row to that of one alone {ratio_text(first / alone)}{'  MISSED' if missed else ''}")
    return not missed


def each(name: str, rows: int, work: Callable[[], Any]) -> float:
    """Print a line; return the CPU seconds per row of this process and the database's."""
    begin, before = time.perf_counter(), spent()
    work()
    wall, cpu = time.perf_counter() - begin, spent() - before
    figures = f"{wall:7.1f} s, {rows / wall:7,.0f} rows a second, CPU {1e6 * cpu / rows:6,.0f} µs a row"
    print(f"{name:40} {figures}", flush=True)
    return cpu / rows


def imported(kind: str, content: bytes, rows: int, *, new: int) -> None:
    from cms_api.core.management.progress_bar import ProgressBar
    from commerce.imports.selectors import kinds_on
    from commerce.imports.services.runs import create_run, start
    from commerce.imports.services.working import work

    run = create_run(kind=kinds_on()[kind], filename=f"{kind}.csv", content=content)
    consent = {"confirmed": True} if kind == "subscribers" else {}
    start(run=run, mapping=run.mapping, options=consent, in_background=False)
    bar = ProgressBar(run.title, rows)
    while work(run.pk, bar, in_background=False):
        pass
    bar.end()
    run.refresh_from_db()
    assert (run.state, run.done, run.created, run.refused) == ("finished", rows, new, 0), vars(run)


def one_by_one(kind: str, count: int) -> None:
    from commerce.crm.resources import ContactInput
    from commerce.crm.services import upsert_contact
    from commerce.marketing.resources import SubscriberInput
    from commerce.marketing.services import upsert_subscriber

    for number in range(count):
        first, last, company = person(number)
        sent = {"email": f"alone{number}@example.com", "first_name": first, "last_name": last, "tags": ["fair"]}
        if kind == "contacts":
            upsert_contact(values=ContactInput.read({**sent, "company": company}), source="import")
        else:
            upsert_subscriber(values=SubscriberInput.read(sent), source="import")


def file(kind: str, count: int) -> bytes:
    return "\n".join(lines(kind, count)).encode()


def lines(kind: str, count: int) -> Iterator[str]:
    contacts = kind == "contacts"
    yield "Email,First name,Last name,Tags" + (",Company" if contacts else "")
    for number in range(count):
        first, last, company = person(number)
        yield f"{kind}{number}@example.com,{first},{last},fair" + (f",{company}" if contacts else "")


def person(number: int) -> tuple[str, str, str]:
    """Return names, and a company shared by a dozen people."""
    first: Sequence[str] = ("Dana", "Ömer", "Ruth", "Robin", "Zoë", "Ines", "Jon")
    last: Sequence[str] = ("Reyes", "Aydin", "Vale", "Müller", "Okafor", "Lund")
    return first[number % 7], f"{last[number % 6]}-{number}", f"{last[number % 5]} {number // 12} Ltd"


def profiled(kinds: Sequence[str], rows: int) -> None:
    import cProfile
    import pstats

    for kind in kinds:
        content = file(kind, rows)
        profile = cProfile.Profile()
        profile.runcall(imported, kind, content, rows, new=rows)
        pstats.Stats(profile).sort_stats("cumulative").print_stats(45)


def arguments() -> argparse.Namespace:
    kinds = ["contacts", "subscribers"]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.imports", description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS, help=f"rows of each file ({ROWS})")
    parser.add_argument("--sample", type=int, default=SAMPLE_ROWS, help=f"rows that are written one by one ({SAMPLE_ROWS})")
    parser.add_argument("--kind", action="append", choices=kinds, help="only this one; may be repeated")
    parser.add_argument("--profile", action="store_true", help="where the time goes, instead")
    parser.add_argument("--postgresql", metavar="URL", nargs="?", const=POSTGRESQL, default="", help=f"on it ({POSTGRESQL})")
    options = parser.parse_args()
    options.kind = options.kind or kinds
    return options


if __name__ == "__main__":
    sys.exit(main())
