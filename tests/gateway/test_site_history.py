"""Wagtail's report of who did what, over the records of every module."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import NoReverseMatch
from wagtail.admin.admin_url_finder import ModelAdminURLFinder, finder_classes

from cms_api.accounts.services import create_member
from cms_api.flags.services import switch_feature
from commerce.members.models import Member
from tests import people

pytestmark = pytest.mark.django_db

REPORT = "/admin/reports/site-history/"


@pytest.fixture(autouse=True)
def member(db: None) -> Member:
    """Somebody who joined, which is logged. Members have no edit page."""
    switch_feature(name="members", on=True)
    return Member.objects.get(user=create_member(email="mia@example.com", password=people.PASSWORD, name="Mia Sand"))


def test_it_works(admin_client: Client) -> None:
    page = admin_client.get(REPORT)
    assert page.status_code == 200
    assert "Became a member" in page.content.decode()


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_exports(admin_client: Client, kind: str) -> None:
    answer: Any = admin_client.get(f"{REPORT}?export={kind}")
    content = b"".join(answer.streaming_content)
    assert answer.status_code == 200
    assert b"Mia Sand" in content or kind == "xlsx"


def test_without_the_kits_rule_it_would_fail(admin_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """The positive control: Wagtail looks up the edit page of whatever has registered one, and its address must exist."""
    finder = type("Finder", (ModelAdminURLFinder,), {"edit_url_name": "members:edit"})
    monkeypatch.setitem(finder_classes.values_by_class, Member, finder)
    for query in ("", "?p=1"):
        with pytest.raises(NoReverseMatch):
            admin_client.get(REPORT + query)


def test_people_see_entries_of_what_they_may_see(sign_in: Callable[[Any], Client]) -> None:
    assert "Mia Sand" in sign_in(people.mallory_manager()).get(REPORT).content.decode()
    assert "Mia Sand" not in sign_in(people.bob()).get(REPORT).content.decode()
