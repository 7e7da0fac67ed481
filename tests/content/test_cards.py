"""Content on the admin's home."""

from datetime import timedelta

import pytest
from django.utils import timezone

from cms_api.content.admin.cards import create, show_changed, show_scheduled
from cms_api.flags.services import switch_feature
from tests import people
from tests.builders import make_item, make_type

pytestmark = pytest.mark.django_db


def test_what_is_scheduled_comes_up_soonest_first() -> None:
    now = timezone.now()
    item_type = make_type(name="Note")
    for title, days in (("Later", 9), ("Sooner", 2), ("In years", 900)):
        make_item(item_type, title=title, status="scheduled", published_at=now + timedelta(days=days))
    make_item(item_type, title="Draft", status="draft")
    found = list(show_scheduled(people.request_by(people.bob())))
    assert [card.title for card in found] == ["Sooner", "Later"]
    assert found[0].text == "Note, scheduled to be published"
    assert found[0].at
    assert found[0].at > now


def test_the_types_with_most_items_have_a_button() -> None:
    for name, items in (("Rare", 1), ("None", 0), ("Common", 3), ("Usual", 2)):
        item_type = make_type(name=name)
        for _ in range(items):
            make_item(item_type)
    assert [card.title for card in create(people.request_by(people.bob()))] == ["Common", "Usual", "Rare", "Other content"]


def test_what_is_switched_off_was_not_changed() -> None:
    bob = people.bob()
    switch_feature(name="webhooks", on=True)
    make_item(make_type(feature="webhooks"), title="Gated")
    assert [card.title for card in show_changed(people.request_by(bob))] == ["Gated"]
    switch_feature(name="webhooks", on=False)
    assert list(show_changed(people.request_by(bob))) == []
