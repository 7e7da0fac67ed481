"""Demo records as data: the YAML files beside the modules' demos, and which of their rows a site has yet to get."""

from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import yaml
from dateutil.relativedelta import relativedelta
from django.db.models import Manager, QuerySet
from django.utils.functional import SimpleLazyObject

#: The parser in C is ten times as fast; some installs of PyYAML lack it.
LOADER: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def data_beside(source: str, name: str = "demo.yaml") -> Any:
    """Return the contents of a YAML file beside a Python file; it is read on first use, since most processes load no demo."""
    return SimpleLazyObject(lambda: yaml.load(Path(source).with_name(name).read_bytes(), Loader=LOADER))


def missing(rows: Sequence[Any], records: Manager[Any] | QuerySet[Any], field: str) -> Iterator[tuple[int, Any]]:
    """Yield the rows whose value of a field no record has, each after its place among all rows."""
    known = set(records.values_list(field, flat=True))
    return ((place, row) for place, row in enumerate(rows) if row[field] not in known)


def date_text(base: date, *, time: str = "", **delta: int) -> str:
    """Return a day, with a time of it if given, in ISO 8601. `delta` are arguments of `relativedelta`, counted from a day."""
    day = base + relativedelta(**delta)
    return f"{day}T{time}" if time else str(day)


def pick(values: Sequence[Any], number: int) -> Any:
    """Return one of the values, which numbers have in turn."""
    return values[number % len(values)]
