"""Pages on the admin's home."""

from datetime import timedelta

import pytest
from django.utils import timezone

from home.admin.cards import show_changed, show_scheduled
from tests import people
from tests.builders import make_page

pytestmark = pytest.mark.django_db


def test_it_works() -> None:
    soon, bob = timezone.now() + timedelta(days=2), people.bob()
    page = make_page(title="Opening", live=False)
    page.go_live_at = soon
    page.save_revision(user=bob).publish()
    make_page(title="About")
    (card,) = show_scheduled(people.request_by(bob))
    assert (card.title, card.at, card.url) == ("Opening", soon, f"/admin/pages/{page.pk}/edit/")
    latest = {card.title: card for card in show_changed(people.request_by(bob))}["Opening"]
    assert (latest.status, latest.text) == ("Draft", "Page · bob@example.com")


def test_strangers_see_no_pages() -> None:
    page = make_page(title="Opening")
    page.go_live_at = timezone.now() + timedelta(days=2)
    page.save_revision().publish()
    request = people.request_by(people.charlie())
    assert [*show_scheduled(request), *show_changed(request)] == []
