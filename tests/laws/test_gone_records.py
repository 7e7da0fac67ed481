"""Records that somebody else has deleted since a page of the admin was shown: services find that out, and write nothing.

Every service that a viewset of the admin calls with a record is called with one of the demo's that is gone.
"""

import re
import traceback
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db import connection, reset_queries, transaction
from django.db.models import ProtectedError, RestrictedError
from django.test.utils import CaptureQueriesContext

from cms_api.adminkit.viewset import ListingViewSet
from cms_api.core.errors import Invalid
from cms_api.core.not_found import NotFound
from tests import people

from .admin_calls import LEFT_OUT, calls, listing_viewsets, load_demo
from .language import ROOT

pytestmark = pytest.mark.both_databases

#: Records of each viewset, which are in different states.
RECORDS = 12
#: No record has it.
UNKNOWN = 987_654_321


def delete_behind(record: Any) -> None:
    """Delete a record without its knowing; one that cannot be deleted is as if it never existed."""
    try:
        with transaction.atomic():
            type(record)._base_manager.filter(pk=record.pk).delete()
    except (ProtectedError, RestrictedError):
        record.pk = UNKNOWN


def find_fault(run: Callable[[], Any]) -> str:
    """Say how a service failed that was called with a record that is gone; empty if it found that out."""
    reset_queries()
    try:
        with transaction.atomic(), CaptureQueriesContext(connection) as captured:
            run()
    except (NotFound, Invalid):
        return ""
    except Exception as problem:
        return f"{type(problem).__name__}: {problem} {traceback.extract_tb(problem.__traceback__)[-1]}"
    written = [found[1] for each in captured if (found := re.match(r'INSERT INTO "?(\w+)', each["sql"]))]
    return f"wrote {written}" if written else ""


def find_faults(found: list[ListingViewSet], user: Any) -> set[tuple[str, str, str]]:
    faults = set()
    for viewset in found:
        for record in list(viewset.records().order_by("pk")[:RECORDS]):
            with transaction.atomic():
                found_calls = list(calls(viewset, record, user))
                delete_behind(record)
                pk = record.pk
                for call in found_calls:
                    # A service that deletes a record takes its id.
                    record.pk = pk
                    place = f"{type(viewset).__name__} {call.name}"
                    if place not in LEFT_OUT and (fault := find_fault(call.run)):
                        faults.add((type(viewset).__module__, place, fault))
                transaction.set_rollback(True)
    return faults


@pytest.mark.django_db
def test_it_works() -> None:
    load_demo()
    found = listing_viewsets()
    assert len(found) > 50
    faults = find_faults(found, people.alice())
    assert not faults, "\n".join(map(str, sorted(faults)))


@pytest.mark.parametrize(
    ("run", "fault"),
    [
        (lambda: None, ""),
        (lambda: Group.objects.create(name="Planted"), "wrote ['auth_group']"),
        (lambda: Group.objects.get(pk=UNKNOWN), "DoesNotExist"),
    ],
)
@pytest.mark.django_db
def test_a_planted_fault_is_found(run: Callable[[], Any], fault: str) -> None:
    assert find_fault(run).partition(":")[0] == fault


def test_rows_that_are_locked_are_looked_up_by_get_row() -> None:
    """`select_for_update().get()` of a row that is gone raises what nothing expects."""
    sources = [path for folder in ("cms_api", "commerce", "events", "home") for path in (ROOT / folder).rglob("*.py")]
    pattern = re.compile(r"select_for_update\((?:[^()]|\([^()]*\))*\)(?:\s*\.\w+\((?:[^()]|\([^()]*\))*\))*?\s*\.get\(")
    assert pattern.search('Row.objects.select_for_update(of=("self",)).select_related("a").get(pk=1)')
    assert [str(path) for path in sources if pattern.search(path.read_text())] == []
