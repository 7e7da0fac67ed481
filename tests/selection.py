"""Selection of the tests that a run takes from the collected ones.

- Tests marked `audit` check the appearance of pages, those marked `long` start servers or kill processes, and those marked
  `walk` send every hostile value to every address of the admin: a run takes them if its `-m` names the marker, as `make audit`,
  `make long` and `make walk` do.
- On PostgreSQL a run leaves out tests whose result cannot differ there: tests that use no database, and tests marked `once`,
  which use one but are about something else, such as a browser's scripts or a pure rule.
"""

import pytest
from django.db import connection

#: The fixtures that give a test the database; with `postgresql` a test creates one of its own.
DATABASE = {"db", "transactional_db", "django_db_setup", "live_server", "postgresql"}
ON_REQUEST = {"audit", "long", "walk"}


def apply(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Remove the deselected tests from the list, in place."""
    asked = {marker for marker in ON_REQUEST if marker in config.option.markexpr}
    everywhere = connection.vendor == "sqlite"
    left_out = [item for item in items if not _is_taken(item, asked=asked, everywhere=everywhere)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        gone = set(left_out)
        items[:] = [item for item in items if item not in gone]


def _is_taken(item: pytest.Item, *, asked: set[str], everywhere: bool) -> bool:
    if any(item.get_closest_marker(marker) for marker in ON_REQUEST - asked):
        return False
    return everywhere or (uses_database(item) and not item.get_closest_marker("once") and not item.get_closest_marker("audit"))


def uses_database(item: pytest.Item) -> bool:
    fixtures = set(getattr(item, "fixturenames", ()))
    return item.get_closest_marker("django_db") is not None or not fixtures.isdisjoint(DATABASE)
