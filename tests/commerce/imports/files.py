"""Files and runs of the tests."""

from typing import Any

from commerce.imports.models import ImportRun
from commerce.imports.selectors import kinds_on
from commerce.imports.services.runs import create_run, start
from commerce.imports.services.working import work

HEADER = "Email,First name,Last name,Company,Tags"


def table(*rows: str, header: str = HEADER) -> bytes:
    return "\r\n".join((header, *rows, "")).encode()


def guests(count: int, first: int = 0) -> bytes:
    return table(
        *(f"guest{number}@example.com,Guest,Number {number},Reyes Ceramics,fair" for number in range(first, first + count))
    )


def make_run(content: bytes | None = None, *, kind: str = "contacts", filename: str = "guests.csv", **more: Any) -> ImportRun:
    """A file that was brought in, and not started."""
    return create_run(kind=kinds_on()[kind], filename=filename, content=guests(3) if content is None else content, **more)


def start_run(run: ImportRun, **options: Any) -> ImportRun:
    if run.kind == "subscribers":
        options = {"confirmed": True, **options}
    start(run=run, mapping=run.mapping, options=options)
    return run


def import_all(content: bytes | None = None, **more: Any) -> ImportRun:
    """A file that was imported to its end, or to where it stopped."""
    run = start_run(make_run(content, **more))
    while work(run.pk):
        pass
    run.refresh_from_db()
    return run
