"""Members and plans in the admin: listed, added, changed, and kept from those who may not."""

import csv
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cms_api.core.errors import Invalid
from commerce.members.models import Member, Plan
from commerce.members.services import cancel, delete_plan, save_plan
from tests import people

from .conftest import kinds, make_member, make_plan

pytestmark = pytest.mark.django_db

LIST, PLANS = "/admin/members/", "/admin/members/plans/"


def shown(client: Client, query: str = "") -> set[str]:
    page = client.get(LIST + query).content.decode()
    return {name for name in ("Mia", "Omar", "Ruth") if f"{name} " in page.split("<main")[1]}


def plan_values(**changes: str) -> dict[str, str]:
    values = {"name": "Friend", "slug": "", "description": "", "price": "12.50", "currency": "EUR", "interval": "month"}
    return {**values, "enabled": "on", "position": "0", **changes}


def test_it_works(admin_client: Client, plan: Plan) -> None:
    answer = admin_client.post(f"{LIST}new/", {"name": "Zoe Quill", "email": "zoe@example.com"})
    member = Member.objects.get()
    assert answer.headers["Location"] == f"{LIST}inspect/{member.pk}/"
    inspect = answer.headers["Location"]
    admin_client.post(f"{LIST}change-plan/{member.pk}/", {"plan": "friend"})
    admin_client.post(f"{LIST}cancel/{member.pk}/")
    page = admin_client.get(inspect).content.decode()
    for words in ("Zoe Quill", "zoe@example.com", "Friend, $12.50 a month", "Changed the plan to Friend", "Reinstate"):
        assert words in page
    admin_client.post(f"{LIST}reinstate/{member.pk}/")
    member.refresh_from_db()
    assert (member.is_active, member.plan) == (True, plan)
    history = admin_client.get(f"{LIST}history/{member.pk}/").content.decode()
    for words in ("Became a member", "Changed the plan to Friend", "Cancelled", "Became a member again"):
        assert words in history
    assert kinds() == ["member.created", "member.cancelled", "member.created"]


@pytest.mark.both_databases
def test_filters_and_search(admin_client: Client, plan: Plan) -> None:
    make_member("mia@example.com", "Mia Sand", plan)
    cancel(member=make_member("omar@example.com", "Omar Khan"))
    make_member("ruth@example.org", "Ruth Adeyemi")
    assert shown(admin_client) == {"Mia", "Omar", "Ruth"}
    assert shown(admin_client, "?status=cancelled") == {"Omar"}
    assert shown(admin_client, f"?plan={plan.pk}") == {"Mia"}
    assert shown(admin_client, "?plan=null") == {"Omar", "Ruth"}
    assert shown(admin_client, f"?joined_at_from={timezone.localdate():%Y-%m-%d}") == {"Mia", "Omar", "Ruth"}
    assert shown(admin_client, "?joined_at_to=2020-01-01") == set()
    assert shown(admin_client, "?q=adeyemi") == {"Ruth"}
    assert shown(admin_client, "?q=example.com") == {"Mia", "Omar"}
    assert shown(admin_client, "?q=kha+omar&status=cancelled") == {"Omar"}
    for query in ("?q=%00", "?q=" + "x" * 1000, "?plan=x&status=%00&joined_at_from=x", "?plan=9" + "9" * 30, "?p=x"):
        assert admin_client.get(LIST + query).status_code == 200


def test_csv(admin_client: Client, plan: Plan) -> None:
    make_member("mia@example.com", "=cmd()", plan)
    answer = admin_client.get(f"{LIST}?export=csv")
    header, row = csv.reader(StringIO(b"".join(answer.streaming_content).decode(), newline=""))
    assert header == ["Name", "Email", "Status", "Plan", "Paid until", "Joined", "Cancelled"]
    assert row[:4] == ["'=cmd()", "mia@example.com", "active", "Friend"]
    assert (row[4], row[6]) == ("", "")


@pytest.mark.both_databases
def test_a_list_takes_as_many_statements_for_eight_as_for_two(admin_client: Client, plan: Plan) -> None:
    counts = []
    for first, many in ((0, 2), (2, 8)):
        for number in range(first, many):
            make_member(f"m{number}@example.com", f"M {number}", plan)
        admin_client.get(LIST)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            admin_client.get(LIST)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_who_cannot_be_added_is_told_why(admin_client: Client, member: Member) -> None:
    for field, value in (("email", ""), ("email", "zoe"), ("email", "mia@example.com"), ("name", "x" * 151)):
        answer = admin_client.post(f"{LIST}new/", {"name": "Zoe", "email": "zoe@example.com", field: value})
        assert answer.status_code == 200
        assert field in answer.context["form"].errors, value
    assert Member.objects.count() == 1


def test_what_is_no_plan_changes_nothing(admin_client: Client, member: Member) -> None:
    make_plan("Founder", enabled=False)
    for slug in ("nothing\0", "founder"):
        answer = admin_client.post(f"{LIST}change-plan/{member.pk}/", {"plan": slug})
        assert (answer.status_code, list(answer.context["entry_form"].errors)) == (422, ["plan"])
    assert admin_client.post(f"{LIST}change-plan/999999/", {"plan": ""}).status_code == 404
    member.refresh_from_db()
    assert member.plan is None


def test_a_plan_is_made_changed_and_deleted(admin_client: Client) -> None:
    assert b"has it once it is paid" in admin_client.get(f"{PLANS}new/").content
    admin_client.post(f"{PLANS}new/", plan_values())
    plan = Plan.objects.get()
    assert (plan.slug, plan.price_cents, plan.currency, plan.interval) == ("friend", 1250, "eur", "month")
    assert 'value="12.50"' in admin_client.get(f"{PLANS}edit/{plan.pk}/").content.decode()
    admin_client.post(f"{PLANS}edit/{plan.pk}/", plan_values(slug="friend", price="1300", currency="jpy"))
    plan.refresh_from_db()
    assert (plan.price.cents, plan.price_words) == (1300, "¥1,300 a month")
    assert "¥1,300 a month" in admin_client.get(PLANS).content.decode()
    admin_client.post(f"{PLANS}delete/{plan.pk}/")
    assert not Plan.objects.exists()


def test_what_is_no_plan_is_refused(admin_client: Client) -> None:
    make_plan("Taken")
    for field, value in (
        *(("price", value) for value in ("", "1.234", "-1", "9" * 29)),
        *(("currency", value) for value in ("e1r", "eu\0")),
        *(("slug", value) for value in ("taken", "A b")),
        ("description", "x" * 501),
        ("interval", "week"),
        ("position", "9" * 20),
    ):
        answer = admin_client.post(f"{PLANS}new/", plan_values(**{field: value}))
        assert answer.status_code == 200
        assert set(answer.context["form"].errors) == {field}, value
    assert Plan.objects.count() == 1


def test_the_service_refuses_what_is_no_plan() -> None:
    for values in ({"name": ""}, {"price_cents": -1}, {"currency": "EUR"}, {"interval": "week"}, {"slug": "A b"}):
        with pytest.raises(Invalid):
            save_plan(values={"name": "Friend", **values})
    assert not Plan.objects.exists()


def test_a_plan_with_members_is_not_deleted(admin_client: Client, plan: Plan, member: Member) -> None:
    Member.objects.filter(pk=member.pk).update(plan=plan)
    answer = admin_client.post(f"{PLANS}delete/{plan.pk}/", follow=True)
    assert answer.status_code == 200
    assert "This plan has members" in answer.content.decode()
    assert Plan.objects.exists()
    with pytest.raises(Invalid):
        delete_plan(plan=plan)


@pytest.mark.parametrize("waits", ["requested_plan", "next_plan"])
def test_a_plan_that_somebody_waits_for_is_not_deleted(waits: str, member: Member, plan: Plan) -> None:
    Member.objects.update(plan=None, **{waits: plan})
    with pytest.raises(Invalid) as refusal:
        delete_plan(plan=plan)
    assert set(refusal.value.errors) == {"plan"}
    member.refresh_from_db()
    assert getattr(member, waits) == plan


def test_only_managers_and_admins_see_members(sign_in: Callable[[Any], Client], member: Member, plan: Plan) -> None:
    paths = (LIST, f"{LIST}new/", f"{LIST}inspect/{member.pk}/", f"{LIST}history/{member.pk}/", f"{LIST}?export=csv")
    plans = (PLANS, f"{PLANS}new/", f"{PLANS}edit/{plan.pk}/", f"{PLANS}delete/{plan.pk}/")
    manager, editor = sign_in(people.mallory_manager()), sign_in(people.bob())
    assert {manager.get(path).status_code for path in (LIST, PLANS)} == {200}
    for path in (*paths, *plans):
        assert editor.get(path).status_code == 302, path
    for action in ("cancel", "reinstate", "change-plan"):
        assert editor.post(f"{LIST}{action}/{member.pk}/").status_code in (302, 403)
    member.refresh_from_db()
    assert member.is_active
    assert LIST in manager.get("/admin/").content.decode()
    assert LIST not in editor.get("/admin/").content.decode()
    manager.post(f"{LIST}cancel/{member.pk}/")
    member.refresh_from_db()
    assert not member.is_active
