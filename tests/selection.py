"""Which of the collected tests a run takes.

- Tests marked `audit` look at how pages look: a run takes them where its `-m` names the marker, as `make audit` does.
- On PostgreSQL a run leaves out what cannot come out differently there: tests that use no database, and tests marked `once`,
  which use one but are about something else, such as a browser's scripts or a table of a pure rule.
"""

import pytest
from django.db import connection

#: The fixtures by which a test comes to the database; `postgresql` is of one that makes its own there.
DATABASE = {"db", "transactional_db", "django_db_setup", "live_server", "postgresql"}


def apply(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Takes the others out of the list itself."""
    audited = "audit" in config.option.markexpr
    everywhere = connection.vendor == "sqlite"
    left_out = [item for item in items if not _is_taken(item, audited=audited, everywhere=everywhere)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        gone = set(left_out)
        items[:] = [item for item in items if item not in gone]


def _is_taken(item: pytest.Item, *, audited: bool, everywhere: bool) -> bool:
    if item.get_closest_marker("audit") and not audited:
        return False
    return everywhere or (uses_database(item) and not item.get_closest_marker("once") and not item.get_closest_marker("audit"))


def uses_database(item: pytest.Item) -> bool:
    fixtures = set(getattr(item, "fixturenames", ()))
    return item.get_closest_marker("django_db") is not None or not fixtures.isdisjoint(DATABASE)
