"""Selection of the tests that a run takes from the collected ones.

- Tests marked `audit` check the appearance of pages, as those do whose name begins with `test_axe`; those marked `long` start
  servers or kill processes, and those marked `walk` send every hostile value to every address of the admin. A run takes them if
  its `-m` names the marker, as `make audit`, `make long` and `make walk` do.
- On PostgreSQL a run takes what the database decides: services, races, constraints, queries, the lists, filters and records of
  the API, imports, migrations, backups. It leaves out tests that use no database, those marked `once`, which use one but are
  about something else, and files about what is shown, sent or parsed (`SHOWN`), except their tests that commit, search, filter,
  sort or count. The walk of the admin opens each of its pages on both databases.
- With `ONLY_QUERIES` in the environment, a run on PostgreSQL takes only the tests that commit, search, filter, sort or count, as
  CI does on a machine so slow that it would be ended before the others.
"""

import os
import re
from fnmatch import fnmatch
from pathlib import Path

import pytest
from django.db import connection

#: The fixtures that give a test the database; with `postgresql` a test creates one of its own.
DATABASE = {"db", "transactional_db", "django_db_setup", "live_server", "postgresql"}
ON_REQUEST = {"audit", "long", "walk"}
ONLY_QUERIES = bool(os.environ.get("ONLY_QUERIES"))

TESTS = Path(__file__).parent
#: Files, below this folder, about what is the same on every database.
SHOWN = (
    # The admin.
    *("*test_admin*", "*_admin.py", "adminkit/*", "*test_cards.py", "*test_menu.py", "*preview*", "*test_month_grid.py"),
    # Pages, their rows and their looks.
    *("*test_pages*", "*_page.py", "*test_page.py", "*test_public_pages.py", "*_row.py", "*test_rows*", "*_found.py", "home/*"),
    *("browser/*", "*test_feed*", "*test_meta.py", "*test_pictures.py", "*test_event_file.py", "*test_calendar_links.py"),
    # Mails and documents.
    *("*test_mails.py", "*test_mail_texts.py", "*test_documents.py", "*documentation*", "*test_demo*"),
    # Requests and values before they reach the database.
    *("laws/*", "fields/*", "text/*", "http/test_wire.py", "http/test_signed_links.py", "auth/test_client_address.py"),
    *("gateway/test_headers.py", "gateway/test_errors.py", "gateway/test_content_types.py", "gateway/test_admin_requests.py"),
    *("gateway/test_root.py", "gateway/test_ignored.py", "gateway/test_hostile_rich_text.py", "*test_address_form.py"),
    *("auth/test_visitors.py", "forms/test_field_types.py", "forms/test_files.py", "*test_values.py", "*test_reading.py"),
    *("webhooks/test_ssrf.py", "webhooks/test_catalogue.py", "webhooks/test_signatures.py", "webhooks/test_connections.py"),
    *("media/test_upload.py", "media/test_multipart.py", "media/test_serving.py", "media/test_storage.py"),
)
#: Files among these that run on every database.
EVERYWHERE = {
    *("gateway/test_admin_walk.py", "laws/test_query_counts.py", "text/test_search.py"),
    *("home/test_page_cache.py", "home/test_lists_migration.py", "home/test_delete_picture.py"),
}
#: Names of tests whose queries a view builds.
QUERIES = re.compile("(^|_)(search|filter|sort|export|order|chart|statement|count)(s|ed|ing)?(_|$)")


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
    if everywhere:
        return True
    if not uses_database(item) or any(item.get_closest_marker(marker) for marker in ("once", "audit")) or is_shown(item):
        return False
    return not ONLY_QUERIES or queries(item)


def is_shown(item: pytest.Item) -> bool:
    """Whether a test is about what is the same on every database, by its file and its name."""
    file = item.path.relative_to(TESTS).as_posix()
    if file in EVERYWHERE or not any(fnmatch(file, pattern) for pattern in SHOWN):
        return False
    if item.get_closest_marker("browser"):
        return True
    return not (queries(item) or item.get_closest_marker("long"))


def queries(item: pytest.Item) -> bool:
    """Whether a test is about what databases do differently, by whether it commits, and by its name."""
    return commits(item) or bool(QUERIES.search(getattr(item, "originalname", item.name)))


def commits(item: pytest.Item) -> bool:
    """Whether a test leaves its transaction, as those do that run at the same time as others."""
    marker = item.get_closest_marker("django_db")
    return bool(marker and marker.kwargs.get("transaction")) or "transactional_db" in getattr(item, "fixturenames", ())


def uses_database(item: pytest.Item) -> bool:
    fixtures = set(getattr(item, "fixturenames", ()))
    return item.get_closest_marker("django_db") is not None or not fixtures.isdisjoint(DATABASE)
