"""CPU cost of lists among many contacts, and of a search compared with the plain list.

`python -m benchmarks.contacts`, on SQLite or, with --postgresql, on a database of its own there.
"""

import argparse
import json
import statistics
import sys
from typing import Any

from .dataset import settle
from .recurrence import POSTGRESQL, Bench, migrated_site

CONTACTS = 100_000
BATCH_CONTACTS = 2_000
#: How much more CPU a search may take than the plain list, from the same place in it.
MAX_CPU_RATIO = 3.0
COMPANIES = 400
FIRST = ("Ada", "Ben", "Cleo", "Dana", "Emil", "Fay", "Gus", "Hana", "Ivo", "June", "Kai", "Lena", "Max", "Nora", "Otto", "Pia")
LAST = ("Abel", "Brook", "Cole", "Dorn", "Evans", "Frost", "Gray", "Holt", "Iver", "Jung", "Klein", "Lowe", "Reyes", "Stone")
RARE, MEDIUM, FREQUENT = "quillon", "zephyrine", "example"
#: One contact in this many has the word of medium frequency in its name.
CONTACTS_PER_MEDIUM = 100

PLAIN, DEEP, CURSOR = "first page", "page 6,000", "first page of a cursor"
PATHS = {
    PLAIN: "",
    DEEP: "page=6000",
    CURSOR: "cursor=",
    f"search of a rare word ({RARE})": f"search={RARE}",
    f"search of a word of 1 in {CONTACTS_PER_MEDIUM} ({MEDIUM})": f"search={MEDIUM}",
    f"search of a word of all ({FREQUENT})": f"search={FREQUENT}",
    f"search of all, {DEEP} ({FREQUENT})": f"search={FREQUENT}&page=6000",
    f"search of all, {CURSOR} ({FREQUENT})": f"search={FREQUENT}&cursor=",
    "search of two words (dana rey)": "search=dana%20rey",
    "search of one letter (d)": "search=d",
    "one address": "email=dana.77@example.com",
    "one lifecycle": "lifecycle=lead",
}


def main() -> int:
    options = arguments()
    with migrated_site(options.postgresql, "api", "crm"):
        bench = Bench(options.rounds)
        token = fill(options.total)
        settle()
        measure(bench, token)
        report(bench)
    return 1 if bench.missed else 0


def fill(total: int) -> str:
    """Create the contacts as an import does; return a token that may read them."""
    from cms_api.auth.services.tokens import create_token
    from commerce.crm.services.contacts import upsert_contacts

    for start in range(0, total, BATCH_CONTACTS):
        upsert_contacts(rows=[person(number) for number in range(start, min(start + BATCH_CONTACTS, total))], source="import")
    return create_token(name="benchmark", abilities=["crm:read"], lifetime="never")[1]


def person(number: int) -> dict[str, Any]:
    first = MEDIUM if number % CONTACTS_PER_MEDIUM == 7 else RARE if number == 4242 else FIRST[number % len(FIRST)]
    last = LAST[number // len(FIRST) % len(LAST)]
    return {
        "email": f"dana.{number}@example.com",
        "first_name": first.capitalize(),
        "last_name": last,
        "phone": f"+1 802 {number // 10_000:03} {number % 10_000:04}",
        "company": f"{LAST[number % len(LAST)]} Works {number % COMPANIES}",
        "lifecycle": ("lead", "customer")[number % 2],
        "city": "Brattleboro",
    }


def measure(bench: Bench, token: str) -> None:
    from django.test import Client

    client = Client(headers={"host": "127.0.0.1", "authorization": f"Bearer {token}"})

    def fetch(query: str) -> dict[str, Any]:
        answer = client.get(f"/api/v1/crm/contacts?{query}")
        assert answer.status_code == 200, (query, answer.status_code, answer.content[:200])
        found: dict[str, Any] = json.loads(answer.content)
        return found

    paths = {**PATHS, "cursor page in the middle": middle(fetch)}
    for _ in range(bench.rounds + 1):
        for name, query in paths.items():
            bench.timed(name, lambda query=query: fetch(query))
    for found in bench.samples, bench.cpu:
        for samples in found.values():
            # The first one finds nothing cached.
            del samples[0]


def middle(fetch: Any) -> str:
    """Return the query of the page halfway through the list, by cursor."""
    from cms_api.http.listing import _write_cursor
    from cms_api.http.query import Paging
    from commerce.crm.models import Contact

    row = Contact.objects.order_by("-created_at", "-id")[Contact.objects.count() // 2]
    query = f"cursor={_write_cursor(Paging(sort='-created_at'), (row.created_at, row.pk), backwards=False)}"
    assert fetch(query)["meta"]["prev_cursor"]
    return query


def report(bench: Bench) -> None:
    print(f"{'':46} {'wall':>9} {'CPU':>9}  statements  of the plain list's CPU")
    for name in bench.samples:
        wall, cpu = statistics.median(bench.samples[name]), statistics.median(bench.cpu[name])
        beside = next((place for place in (DEEP, CURSOR) if "search" in name and place in name), PLAIN)
        ratio = cpu / statistics.median(bench.cpu[beside])
        missed = "search" in name and ratio > MAX_CPU_RATIO
        bench.missed |= missed
        print(f"{name:46} {wall:6.1f} ms {cpu:6.1f} ms  {bench.statements[name]:10}  {ratio:6.2f}{'  MISSED' if missed else ''}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.contacts", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="times that each is done (9)")
    parser.add_argument("--total", type=int, default=CONTACTS, help=f"contacts ({CONTACTS})")
    parser.add_argument("--postgresql", metavar="URL", nargs="?", const=POSTGRESQL, default="", help=f"on it ({POSTGRESQL})")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
