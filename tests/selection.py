"""Selection of the tests that a run takes from the collected ones.

- Tests marked `audit` check the appearance of pages, as those do whose name begins with `test_axe`; those marked `long` start
  servers or kill processes, and those marked `walk` send every hostile value to every address of the admin. A run takes them if
  its `-m` names the marker, as `make audit`, `make long` and `make walk` do.
- On PostgreSQL a run takes what the database decides: tests marked `both_databases`, those that commit, as races do, and those
  that create databases of their own there. It leaves out browser tests, and those that commit but are marked `once`.
"""

import pytest
from django.db import connection

ON_REQUEST = {"audit", "long", "walk"}
#: Marks of tests that a run on PostgreSQL leaves out, although they commit.
SQLITE_ONLY = ("once", "browser", "audit")


def apply(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Remove the deselected tests from the list, in place."""
    asked = {marker for marker in ON_REQUEST if marker in config.option.markexpr}
    is_default = connection.vendor == "sqlite"
    left_out = [item for item in items if not _is_asked_for(item, asked) or not (is_default or runs_on_both(item))]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        gone = set(left_out)
        items[:] = [item for item in items if item not in gone]


def _is_asked_for(item: pytest.Item, asked: set[str]) -> bool:
    return not any(item.get_closest_marker(marker) for marker in ON_REQUEST - asked)


def runs_on_both(item: pytest.Item) -> bool:
    """Whether a run on PostgreSQL takes a test, too."""
    if any(item.get_closest_marker(marker) for marker in SQLITE_ONLY):
        return False
    fixtures = getattr(item, "fixturenames", ())
    return item.get_closest_marker("both_databases") is not None or "postgresql" in fixtures or commits(item)


def commits(item: pytest.Item) -> bool:
    """Whether a test leaves its transaction, as those do that run at the same time as others."""
    marker = item.get_closest_marker("django_db")
    return bool(marker and marker.kwargs.get("transaction")) or "transactional_db" in getattr(item, "fixturenames", ())
