"""Events, and the moments of tests."""

import itertools
from datetime import UTC, datetime
from typing import Any

from cms_api.analytics.types.events import Event, Kind

#: Noon of a day in winter, in UTC.
NOON = datetime(2026, 1, 15, 12, tzinfo=UTC).timestamp()
MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0

#: Even, so that tests may choose odd ones.
_uids = itertools.count(2, 2)


def view(path: str = "/", at: float = NOON, visitor: int = 1, **more: Any) -> Event:
    return Event(**{"uid": next(_uids), "kind": Kind.VIEW, "at": at, "visitor": visitor, "path": path, **more})


def goal(at: float = NOON, visitor: int = 1, **more: Any) -> Event:
    values = {"goal": "order", "value_cents": 1250, "currency": "usd"}
    return Event(**{"uid": next(_uids), "kind": Kind.GOAL, "at": at, "visitor": visitor, **values, **more})
