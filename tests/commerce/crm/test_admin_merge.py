"""Contacts that are one person: found, laid side by side, made one."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from wagtail.models import ModelLogEntry

from commerce.crm import selectors
from commerce.crm.models import Contact

from .records import make_contact

pytestmark = pytest.mark.django_db

LIST = "/admin/crm/contacts/"


def test_two_become_one(admin_client: Client) -> None:
    old = make_contact("dana@example.com", first_name="Dana", phone="1")
    new = make_contact("dana@work.example.com", last_name="Reyes", tags=["x"])
    page = admin_client.get(f"{LIST}merge/?id={new.pk}&id={old.pk}").content.decode()
    assert f'value="{old.pk}" checked' in page
    answer = admin_client.post(f"{LIST}merge/?id={new.pk}&id={old.pk}", {"kept": new.pk})
    assert answer.headers["Location"] == f"{LIST}inspect/{new.pk}/"
    whole = Contact.objects.get()
    assert (whole.pk, whole.name, whole.phone, whole.email) == (new.pk, "Dana Reyes", "1", "dana@work.example.com")
    assert ModelLogEntry.objects.get(action="crm.merge").message == "Merged with dana@example.com"
    page = admin_client.get(f"{LIST}inspect/{new.pk}/").content.decode()
    assert "Merged with dana@example.com" in page
    assert "Earlier emails" in page
    assert "Merged with dana@example.com" in admin_client.get(f"{LIST}history/{new.pk}/").content.decode()


@pytest.mark.both_databases
def test_the_other_one_is_searched_for(admin_client: Client) -> None:
    first = make_contact("dana@example.com", first_name="Dana", last_name="Reyes")
    second = make_contact("reyes@work.example.com", first_name="Dana", last_name="Reyes")
    make_contact("other@example.com", first_name="Ruth")
    found = admin_client.get(f"{LIST}merge/?id={first.pk}").context["found"]
    assert found == [(second, f"{LIST}merge/?id={first.pk}&id={second.pk}")]
    assert [each for each, _ in admin_client.get(f"{LIST}merge/?id={first.pk}&q=ruth").context["found"]] != [second]
    for odd in ("%00", "", "x" * 5000):
        assert admin_client.get(f"{LIST}merge/?id={first.pk}&q={odd}").context["found"] == []


def test_nothing_is_merged_without_a_choice(admin_client: Client) -> None:
    first, second = make_contact("a@example.com"), make_contact("b@example.com")
    third = make_contact("c@example.com")
    both = f"{LIST}merge/?id={first.pk}&id={second.pk}"
    for kept in ("", "x", "\0", str(third.pk), "9" * 30):
        assert admin_client.post(both, {"kept": kept}).headers["Location"] == both
    assert admin_client.post(f"{LIST}merge/?id={first.pk}", {"kept": first.pk}).status_code == 302
    for odd in ("", "?id=x", "?id=%00", f"?id={'9' * 30}", "?id=-1"):
        assert admin_client.get(f"{LIST}merge/{odd}").headers["Location"] == LIST
        assert admin_client.post(f"{LIST}merge/{odd}", {"kept": first.pk}).headers["Location"] == LIST
    assert Contact.objects.count() == 3


def test_one_that_is_gone_meanwhile_is_said(admin_client: Client) -> None:
    first, second = make_contact("a@example.com"), make_contact("b@example.com")
    Contact.objects.filter(pk=second.pk).delete()
    answer = admin_client.post(f"{LIST}merge/?id={first.pk}&id={second.pk}", {"kept": first.pk}, follow=True)
    assert "Choose at least two existing contacts." in answer.content.decode()


def test_chosen_from_the_listing(admin_client: Client) -> None:
    found = [make_contact(f"person{number}@example.org", first_name="Same") for number in range(11)]
    bulk = "/admin/bulk/crm/contact/merge/"
    ids = [contact.pk for contact in found]
    answer = admin_client.get(f"{bulk}?id={ids[0]}&id={ids[1]}&next={LIST}")
    assert answer.headers["Location"] == f"{LIST}merge/?id={ids[0]}&id={ids[1]}"
    for query in (f"id={ids[0]}", "&".join(f"id={pk}" for pk in ids), "id=all", "id=x", ""):
        assert admin_client.get(f"{bulk}?{query}&next={LIST}").headers["Location"] == LIST, query
    Contact.objects.filter(pk__in=ids[2:]).delete()
    assert f"{LIST}merge/" in admin_client.get(f"{bulk}?id=all&q=same&next={LIST}").headers["Location"]


def test_possible_duplicates(admin_client: Client) -> None:
    first = make_contact("a@example.com", first_name="Ömer", last_name="Güneş", phone="+90 (312) 555 01 42")
    second = make_contact("b@example.com", first_name="OMER", last_name="gunes", phone="９０３１２５５５０１４２")
    make_contact("c@example.com", first_name="Ömer", last_name="Güneş", company="Elsewhere")
    make_contact("d@example.com", first_name="Dana", phone="42")
    make_contact("e@example.com", first_name="Dana", phone="42")
    groups = admin_client.get(f"{LIST}duplicates/").context["groups"]
    assert [(contacts, common) for contacts, common, _, _ in groups] == [([second, first], "name and company and phone number")]
    assert "Same name and company" in admin_client.get(f"{LIST}duplicates/").content.decode()


def test_different_people_are_not_duplicates(admin_client: Client) -> None:
    make_contact("a@example.com", first_name="Dana", last_name="Reyes")
    make_contact("b@example.com", first_name="Ruth", last_name="Adeyemi")
    assert "No possible duplicates found." in admin_client.get(f"{LIST}duplicates/").content.decode()


@pytest.mark.both_databases
def test_duplicates_take_a_constant_number_of_statements(admin_client: Client) -> None:
    found = []
    for number in (2, 44):
        for each in range(number):
            make_contact(first_name="Dana", last_name=f"Reyes {each // 2}", company="One" if each % 4 < 2 else "Two")
        admin_client.get(f"{LIST}duplicates/")
        with CaptureQueriesContext(connection) as captured:
            page = admin_client.get(f"{LIST}duplicates/")
        found.append(len(captured))
    assert found[0] == found[1], found
    assert len(page.context["groups"]) == 20
    assert len(admin_client.get(f"{LIST}duplicates/?p=2").context["groups"]) == 2


def test_only_so_many_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    for each in range(4):
        make_contact(first_name="Dana", last_name="Reyes", tags=[str(each)])
    monkeypatch.setattr(selectors, "MAX_COMPARED_CONTACTS", 3)
    assert [len(group.ids) for group in selectors.possible_duplicates()] == [3]
