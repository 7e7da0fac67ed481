"""The longest transactions of the demo site on SQLite, by the service that began them: `python -m benchmarks.transactions`.

Serves the demo, sends what visitors, integrations and staff send, and runs the periodic jobs, all of them in new processes, where
the first transaction of a kind takes longest. It also lists what is imported, connected to or run in a transaction.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path
from typing import Any

from .forms import EMAIL, NAME, FormVisitor
from .servers import ROOT, free_port

#: The most processor time of a transaction, and of those that write a batch.
MAX_MS, MAX_BATCH_MS = 100.0, 1000.0
#: Transactions that are a batch by their nature, and why.
BATCHES = {
    "commerce.imports.services.working.": "a batch of rows of an import",
    "events.services.materializing.": "the dates of a series",
    "cms_api.content.services.bulk.": "a bulk request, which is stored as a whole or not at all",
    "commerce.crm.services.erasing.": "everything about a person",
}
#: Seconds that a site may take to start, and that a person needs for a form.
START_SECONDS, READING_SECONDS = 300, 4
ADDRESS = {"street": "14 Canal Street", "city": "Leeds", "postal_code": "LS1 4AP", "country": "GB"}


@dataclass
class Demo:
    """The demo site in a folder: its admin's password and its token, as `first_run` printed them."""

    folder: Path
    password: str = ""
    token: str = ""
    port: int = field(default_factory=free_port)

    def environment(self, trace: Path | None = None) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL", "BASE_URL"}}
        settings = {"DJANGO_SETTINGS_MODULE": "benchmarks.traced.settings", "TRANSACTIONS_TRACE": str(trace)} if trace else {}
        return {**kept, "VAR_DIR": str(self.folder), "PYTHONPATH": str(ROOT), "API_RATE_PER_MINUTE": "1000000", **settings}

    def manage(self, *words: str, trace: Path | None = None) -> str:
        command = [sys.executable, "manage.py", *words]
        done = subprocess.run(command, cwd=ROOT, env=self.environment(trace), check=True, stdout=subprocess.PIPE, text=True)
        return done.stdout

    def fill(self) -> None:
        """Load the demo, unless the folder has it."""
        facts = self.folder / "facts.json"
        if not facts.exists():
            said = self.manage("first_run")
            found = {"password": r"Password: (\S+)", "token": r"Bearer (\S+?)\""}
            self.manage("setting", "set", "payments.allow_test_payments", "true")
            facts.write_text(json.dumps({name: re.search(words, said)[1] for name, words in found.items()}))  # type: ignore[index]
        self.password, self.token = (json.loads(facts.read_text())[name] for name in ("password", "token"))

    @contextmanager
    def served(self, trace: Path) -> Iterator[None]:
        command = [sys.executable, "manage.py", "serve", "--port", str(self.port), "--workers", "1"]
        with (self.folder / "serve.log").open("ab") as log:
            process = subprocess.Popen(command, cwd=ROOT, env=self.environment(trace), stdout=log, stderr=log)
        try:
            deadline = time.monotonic() + START_SECONDS
            while not self._answers():
                if time.monotonic() > deadline or process.poll() is not None:
                    raise SystemExit(f"The site did not start: see {log.name}")
                time.sleep(0.2)
            yield
        finally:
            process.terminate()
            process.wait(60)

    def _answers(self) -> bool:
        try:
            return FormVisitor(self.port).send("GET", "/readyz")[0] == 200
        except OSError:
            return False


# Actions of people and integrations.


def book(demo: Demo) -> None:
    """Book an appointment, and reschedule it."""
    visitor = FormVisitor(demo.port)
    first, second = _openings(visitor)[:2]
    form = visitor.form(first, "name")
    time.sleep(READING_SECONDS)
    shown = visitor.submit(form, name=NAME, email=EMAIL)
    start = re.search(r"start=(\d+)", second)
    move = visitor.form(f"{shown.rstrip('/')}/reschedule?start={start and start[1]}", "start")
    visitor.submit(move, start=start and start[1])


def _openings(visitor: FormVisitor) -> list[str]:
    page = visitor.get("/booking/services/instrument-repair")
    return [unescape(path) for path in re.findall(r'href="(/booking[^"]*book\?[^"]*)"', page)]


def order(demo: Demo) -> None:
    """Order cards of the shop."""
    visitor = FormVisitor(demo.port)
    visitor.submit(visitor.form("/shop/products/mill-cards", "variant"))
    form = visitor.form("/shop/checkout", "email")
    visitor.submit(form, email=EMAIL, **{f"shipping-{name}": value for name, value in {"name": NAME, **ADDRESS}.items()})


def order_meal(demo: Demo) -> None:
    """Order a meal to be picked up."""
    visitor = FormVisitor(demo.port)
    visitor.submit(visitor.form("/menu/items/3", "item"))
    form = visitor.form("/menu/checkout", "name")
    visitor.submit(form, name=NAME, email=EMAIL, phone="020 7946 0000")


def buy_tickets(demo: Demo) -> None:
    """Reserve two tickets, and order them."""
    visitor = FormVisitor(demo.port)
    checkout = visitor.submit(visitor.form("/events/quartet-in-the-hall/tickets", "occurrence"), **{"quantity-1": 2})
    visitor.submit(visitor.form(checkout, "email"), name=NAME, email=EMAIL)


def donate(demo: Demo) -> None:
    visitor = FormVisitor(demo.port)
    form = visitor.form("/donations/give/a-kiln-for-the-mill", "amount")
    time.sleep(READING_SECONDS)
    visitor.submit(form, first_name="Dana", last_name="Reyes", email=EMAIL, amount=2500)


def subscribe(demo: Demo) -> None:
    visitor = FormVisitor(demo.port)
    form = visitor.form("/subscribe", "email")
    time.sleep(READING_SECONDS)
    visitor.submit(form, email="new@example.com", first_name="Noor")


def invoice(demo: Demo) -> None:
    """Issue a draft in the admin, and record a payment of it over the API."""
    staff, number = _signed_in(demo), _first(demo, "/api/v1/invoicing/invoices?status=draft&type=invoice")["id"]
    staff.submit(staff.form(f"/admin/invoices/issue/{number}/", "csrfmiddlewaretoken"))
    _call(demo, "POST", f"/api/v1/invoicing/invoices/{number}/payments", {"amount_cents": 100, "method": "cash"})


def order_paid(demo: Demo) -> None:
    """Record the payment of an order in the admin."""
    staff, number = _signed_in(demo), _first(demo, "/api/v1/shop/orders?status=pending")["id"]
    staff.submit(staff.form(f"/admin/orders/record-payment/{number}/", "csrfmiddlewaretoken"))


def write(demo: Demo) -> None:
    """Create, change and delete an item, a series of dates and a contact over the API, and several items at once."""
    day = (datetime.now(UTC) + timedelta(days=30)).date()
    series = {
        "title": "Evening choir",
        "event_date": {"start": f"{day}T19:00"},
        "recurrence": {"freq": "weekly", "interval": 1},
    }
    new = {"type": "blog-post", "status": "published", "data": {"title": "News of the kiln", "body": "<p>It is lit.</p>" * 200}}
    made = _call(demo, "POST", "/api/v1/content-items", new)["data"]["id"]
    _call(demo, "PATCH", f"/api/v1/content-items/{made}", {"data": {"title": "News of the kilns"}})
    _call(demo, "DELETE", f"/api/v1/content-items/{made}")
    _call(demo, "POST", "/api/v1/content-items", {"type": "events", "status": "published", "data": series})
    contact = _call(demo, "POST", "/api/v1/crm/contacts", {"email": "another@example.com", "first_name": "Ada"})["data"]["id"]
    _call(demo, "PATCH", f"/api/v1/crm/contacts/{contact}", {"first_name": "Ida"})


def save(demo: Demo) -> None:
    """Save an item in the admin."""
    staff, item = _signed_in(demo), _first(demo, "/api/v1/content-items?type=blog-post")["id"]
    staff.submit(staff.form(f"/admin/content/items/edit/{item}/", "csrfmiddlewaretoken"))


ACTIONS: tuple[Callable[[Demo], None], ...] = (
    book,
    order,
    order_meal,
    buy_tickets,
    donate,
    subscribe,
    invoice,
    order_paid,
    write,
    save,
)


def _signed_in(demo: Demo) -> FormVisitor:
    staff = FormVisitor(demo.port)
    staff.submit(staff.form("/admin/login/", "username"), username="admin@example.com", password=demo.password)
    return staff


def _call(demo: Demo, method: str, path: str, body: Any = None) -> Any:
    content = json.dumps(body).encode() if body is not None else b""
    status, _, answer = FormVisitor(demo.port, token=demo.token).send(method, path, content)
    assert status in {200, 201}, (method, path, status, answer[-1000:])
    return json.loads(answer)


def _first(demo: Demo, path: str) -> Any:
    return _call(demo, "GET", f"{path}{'&' if '?' in path else '?'}per_page=1")["data"][0]


# Figures.


def measured(demo: Demo, names: list[str]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return a record of each transaction, and the actions that failed."""
    trace, failed = demo.folder / "transactions.jsonl", []
    trace.write_text("")
    with demo.served(trace):
        for action in ACTIONS:
            if action.__name__ in names:
                say(f"{action.__name__} ...")
                try:
                    action(demo)
                except (AssertionError, OSError, LookupError) as problem:
                    failed.append(f"{action.__name__}: {problem}")
    if "jobs" in names:
        say("jobs ...")
        demo.manage("run_due", "--in-process", trace=trace)
    return [json.loads(line) for line in trace.read_text().splitlines()], failed


def limit(kind: str) -> float:
    return MAX_BATCH_MS if kind.startswith(tuple(BATCHES)) else MAX_MS


def report(records: list[dict[str, Any]], most: int) -> bool:
    """Print the longest transactions by kind, and what was done in them; return whether all are as they should be."""
    by_kind: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for record in records:
        by_kind[record["kind"]].append(record)
    longest = {kind: max(rows, key=lambda row: row["cpu_ms"]) for kind, rows in by_kind.items()}
    width = max(map(len, longest))
    print(f"| {'transaction':{width}} | times | statements | CPU ms | by the clock |")
    print(f"|{'-' * (width + 2)}|------:|-----------:|-------:|-------------:|")
    for kind, row in sorted(longest.items(), key=lambda item: -item[1]["cpu_ms"])[:most]:
        late = "  MISSED" if row["cpu_ms"] > limit(kind) else ""
        print(
            f"| {kind:{width}} | {len(by_kind[kind]):5} | {row['statements']:10} | {row['cpu_ms']:6.1f} | "
            f"{row['wall_ms']:12.1f} |{late}"
        )
        for line in row.get("profile", [])[:30] if late else ():
            print(f"    {line}")
    found = Counter(each for record in records for each in record["found"])
    for each, times in found.items():
        print(f"{times} times in a transaction: {each}")
    return not found and all(row["cpu_ms"] <= limit(kind) for kind, row in longest.items())


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> int:
    names = [*(action.__name__ for action in ACTIONS), "jobs"]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.transactions", description=__doc__)
    parser.add_argument("--case", action="append", choices=names, help="only this one; may be repeated")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="keep the demo there, which takes minutes to load")
    parser.add_argument("--most", type=int, default=25, help="kinds that are listed (25)")
    parser.add_argument("--profile", type=float, default=0, metavar="MS", help="also list functions of longer ones; slower")
    options = parser.parse_args()
    if options.profile:
        os.environ["TRANSACTIONS_PROFILE"] = str(options.profile)
    with tempfile.TemporaryDirectory(prefix="benchmark-") as scratch:
        if options.data and not (options.data / "facts.json").exists():
            shutil.rmtree(options.data, ignore_errors=True)
        folder = options.data or Path(scratch)
        folder.mkdir(exist_ok=True)
        demo = Demo(folder.resolve())
        demo.fill()
        records, failed = measured(demo, options.case or names)
    is_met = report(records, options.most)
    for each in failed:
        print(f"FAILED {each}")
    return 0 if is_met and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
