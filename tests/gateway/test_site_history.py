"""Wagtail's report of who did what, over the records of every module."""

import csv
import io
from collections.abc import Callable
from typing import Any
from zipfile import ZipFile

import pytest
from django.test import Client
from django.urls import reverse
from wagtail.admin.admin_url_finder import AdminURLFinder, ModelAdminURLFinder, finder_classes

from cms_api.accounts.services import create_member
from cms_api.flags.services import switch_feature
from commerce.members.models import Member
from tests import people
from tests.builders import make_item
from tests.commerce.members.conftest import make_plan

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_menu")]

REPORT = "/admin/reports/site-history/"


@pytest.fixture(autouse=True)
def member(db: None) -> Member:
    """Somebody who joined, which is logged. Members have no edit page."""
    switch_feature(name="members", on=True)
    make_plan("Plan for friends")
    return Member.objects.get(user=create_member(email="mia@example.com", password=people.PASSWORD, name="Mia Sand"))


def download(visitor: Client, kind: str) -> bytes:
    answer: Any = visitor.get(f"{REPORT}?export={kind}")
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)


@pytest.mark.both_databases
def test_it_works(admin_client: Client) -> None:
    page = admin_client.get(REPORT)
    assert page.status_code == 200
    assert "Became a member" in page.content.decode()


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
@pytest.mark.both_databases
def test_exports(admin_client: Client, kind: str) -> None:
    content = download(admin_client, kind)
    assert b"Mia Sand" in content or kind == "xlsx"


def test_no_name_is_run_by_a_spreadsheet_or_keeps_the_file_from_being_made(admin_client: Client) -> None:
    """Visitors name themselves, and integrations name items."""
    create_member(email="eve@example.com", password=people.PASSWORD, name='=HYPERLINK("https://evil.example")')
    make_item(title="Bell\x07 and book")
    table = download(admin_client, "csv").decode()
    names = [row["Name"] for row in csv.DictReader(io.StringIO(table))]
    assert '\'=HYPERLINK("https://evil.example")' in names
    with ZipFile(io.BytesIO(download(admin_client, "xlsx"))) as workbook:
        assert b">Bell and book<" in b"".join(workbook.read(name) for name in workbook.namelist())


def test_without_the_kits_rule_it_would_fail(admin_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """The positive control: Wagtail looks up the edit page of whatever has registered one, and its address must exist."""
    finder = type("Finder", (ModelAdminURLFinder,), {"edit_url_name": "members:edit"})
    monkeypatch.setitem(finder_classes.values_by_class, Member, finder)
    for query in ("", "?p=1"):
        assert admin_client.get(REPORT + query).status_code == 400


@pytest.mark.parametrize("path", ["", "results/", "?export=csv"])
def test_records_of_a_feature_that_is_off_are_left_out(path: str, admin_client: Client) -> None:
    def shown() -> str:
        answer: Any = admin_client.get(REPORT + path)
        return b"".join(answer.streaming_content).decode() if answer.streaming else answer.content.decode()

    found = shown()
    assert "Mia Sand" in found
    assert "?" in path or "Plan for friends" in found
    for name in ("members", "shop"):
        switch_feature(name=name, on=False)
    found = shown()
    for trace in ("Mia Sand", "Became a member", "Plan for friends", "/members/", ">Member<", ">Plan<"):
        assert trace not in found


def test_wagtails_pages_link_to_no_page_of_a_feature_that_is_off(member: Member) -> None:
    plan = make_plan("Another")
    assert AdminURLFinder(people.alice()).get_edit_url(plan) == reverse("plans:edit", args=[plan.pk])
    switch_feature(name="members", on=False)
    assert AdminURLFinder(people.alice()).get_edit_url(plan) is None


def test_strangers_see_nothing(client: Client) -> None:
    assert client.get(REPORT).status_code == 302


def test_people_see_entries_of_what_they_may_see(sign_in: Callable[[Any], Client]) -> None:
    assert "Mia Sand" in sign_in(people.mallory_manager()).get(REPORT).content.decode()
    assert "Mia Sand" not in sign_in(people.bob()).get(REPORT).content.decode()
