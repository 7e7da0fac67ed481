"""A record is locked, or written, before its entry in the search index is: two services that differ would wait for each other."""

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from django.db import connection, reset_queries, transaction
from django.test.utils import CaptureQueriesContext
from wagtail.search.index import class_is_indexed

from commerce.marketing.models import Subscriber
from commerce.marketing.services.subscribers import delete_subscriber
from tests import people
from tests.commerce.marketing.conftest import make_subscriber

from .admin_calls import LEFT_OUT, calls, listing_viewsets, load_demo

pytestmark = [
    pytest.mark.both_databases,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time."),
    pytest.mark.django_db,
]

#: Records of each viewset, which are in different states.
RECORDS = 4
_INDEX = re.compile(r'^\W*(INSERT INTO|UPDATE|DELETE FROM) "?wagtailsearch_indexentry')


def is_index_first(table: str, run: Callable[[], Any]) -> bool:
    """Whether a service writes the search index before it has locked a row of the table. Nothing stays written."""
    # Contacts have one lock for all of them.
    lock = re.compile(rf'^(UPDATE|INSERT INTO|DELETE FROM) "?{table}\b|"{table}".* FOR (NO KEY )?UPDATE|pg_advisory_xact_lock\(')
    reset_queries()
    with transaction.atomic(), CaptureQueriesContext(connection) as captured:
        with suppress(Exception):
            # Some of the values are refused, or are none that the service can read: after what it has written until then.
            run()
        transaction.set_rollback(True)
    for each in captured:
        if lock.search(each["sql"]):
            return False
        if _INDEX.search(each["sql"]):
            return True
    return False


def test_it_works() -> None:
    load_demo()
    alice, faults, tried = people.alice(), set(), 0
    for viewset in listing_viewsets():
        if not class_is_indexed(viewset.model):
            continue
        for record in list(viewset.records().order_by("pk")[:RECORDS]):
            pk = record.pk
            for call in calls(viewset, record, alice):
                record.pk, place = pk, f"{type(viewset).__name__} {call.name}"
                if place not in LEFT_OUT:
                    tried += 1
                    faults |= {place} if is_index_first(record._meta.db_table, call.run) else set()
    assert tried > 100
    assert not faults


def test_a_planted_fault_is_found() -> None:
    subscriber = make_subscriber()
    assert not is_index_first("marketing_subscriber", lambda: delete_subscriber(subscriber=subscriber))
    assert is_index_first("marketing_subscriber", Subscriber.objects.get().delete)
