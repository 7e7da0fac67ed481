"""The keys of records that links lead to, and the migration that adds them."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.db import connection
from django.db.migrations import RunPython
from django.utils import timezone

from cms_api.flags.services import switch_feature
from cms_api.http import link_keys
from cms_api.http.link_keys import add_link_keys
from events.models import Rsvp
from tests.events.guests import make_event, make_reply

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _events_on(db: None) -> None:
    switch_feature(name="events", on=True)


def test_the_migration_gives_every_row_its_key_and_leaves_old_links_half_a_year(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_keys, "_BATCH", 2)
    event = make_event()
    former = {make_reply(event, email=f"n{number}@example.com").link_key for number in range(5)}
    [fill] = [each for each in add_link_keys("events", "rsvp") if isinstance(each, RunPython)]
    before = timezone.now()
    fill.code(apps, SimpleNamespace(connection=connection))
    rows = list(Rsvp.objects.values_list("link_key", "old_links_until"))
    assert len({key for key, _ in rows} | former) == 10
    assert all(timedelta(0) <= until - before - timedelta(days=180) < timedelta(minutes=1) for _, until in rows)


def test_new_records_have_no_old_links() -> None:
    assert make_reply(make_event()).old_links_until is None
