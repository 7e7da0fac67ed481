"""Points as members see them, as people of the admin see and adjust them, and as the demo has them."""

import csv
from collections.abc import Callable
from io import StringIO
from secrets import token_urlsafe
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cms_api.flags.services import switch_feature
from commerce.loyalty.demo import load
from commerce.loyalty.models import PointsBalance, PointsEntry
from commerce.loyalty.services import award
from commerce.members.demo import load as load_members
from commerce.members.models import Member
from tests import people

from .conftest import all_is_in_line, make_member, points

pytestmark = pytest.mark.django_db

PAGE, LIST, LEDGER = "/accounts/points/", "/admin/loyalty/", "/admin/loyalty/ledger/"


def rows(client: Client, path: str) -> list[list[str]]:
    answer = client.get(path)
    return list(csv.reader(StringIO(b"".join(answer.streaming_content).decode(), newline="")))


def test_it_works(member: Member, sign_in: Callable[[Any], Client]) -> None:
    client = sign_in(member.user)
    assert b"You don't have any points yet." in client.get(PAGE).content
    award(member=member, points=50, reason="review", reference="review:7")
    page = client.get(PAGE).content.decode()
    assert "<strong>50</strong> points" in page
    assert "<td>Review</td>" in page
    assert "+50" in page
    assert f'<a href="{PAGE}">' in client.get("/accounts/").content.decode()
    assert "no-store" in client.get(PAGE).headers["Cache-Control"]


def test_nobody_sees_others_points(member: Member, sign_in: Callable[[Any], Client]) -> None:
    award(member=member, points=50, reason="review")
    assert Client().get(PAGE).headers["Location"] == f"/accounts/login/?next={PAGE}"
    assert b"+50" not in sign_in(make_member("other@example.com").user).get(PAGE).content
    assert b"Points are for members." in sign_in(people.bob()).get(PAGE).content


def posted(**changes: str) -> dict[str, str]:
    """The fields of the form of an adjustment."""
    return {"email": "mia@example.com", "points": "20", "note": "A note", "once": token_urlsafe(16), **changes}


def test_points_are_adjusted_by_hand(admin_client: Client, member: Member) -> None:
    answer = admin_client.post(f"{LIST}new/", posted(email="MIA@example.com", note="=A lost parcel"))
    balance = PointsBalance.objects.get()
    assert answer.headers["Location"] == f"{LIST}inspect/{balance.pk}/"
    page = admin_client.get(answer.headers["Location"]).content.decode()
    for words in ("Mia Sand", "+20", "=A lost parcel", "by alice@example.com"):
        assert words in page
    assert "Adjusted by +20 points: =A lost parcel" in admin_client.get(f"{LIST}history/{balance.pk}/").content.decode()
    assert 'value="mia@example.com"' in admin_client.get(f"{LIST}new/?email=mia@example.com").content.decode()
    admin_client.post(f"{LIST}new/", posted(points="-5", note="Counted twice"))
    assert points(member) == 15
    assert rows(admin_client, f"{LEDGER}?export=csv")[2][:6] == [
        *("Mia Sand", "mia@example.com", "20", "adjustment", "", "'=A lost parcel"),
    ]
    assert rows(admin_client, f"{LIST}?export=csv")[1][:4] == ["Mia Sand", "mia@example.com", "active", "15"]


def test_a_form_that_is_sent_twice_adjusts_once(admin_client: Client, member: Member) -> None:
    values = posted(once=admin_client.get(f"{LIST}new/").context["form"]["once"].value())
    first, second = (admin_client.post(f"{LIST}new/", values) for _ in range(2))
    assert first.headers["Location"] == second.headers["Location"] == f"{LIST}inspect/{PointsBalance.objects.get().pk}/"
    assert points(member) == 20


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("email", value) for value in ("nobody@example.com", "mia@example.com\0")),
        *(("points", value) for value in ("0", "1.5", "1.000", "9" * 30)),
        *(("note", value) for value in (" ", "x" * 301)),
    ],
)
def test_what_cannot_be_is_refused(field: str, value: str, admin_client: Client, member: Member) -> None:
    answer = admin_client.post(f"{LIST}new/", posted(**{field: value}))
    assert answer.status_code == 200
    assert field in answer.context["form"].errors
    assert not PointsEntry.objects.exists()


@pytest.mark.both_databases
def test_filters_and_search(admin_client: Client, member: Member) -> None:
    other = make_member("omar@example.com", "Omar Khan")
    award(member=member, points=50, reason="review")
    award(member=other, points=70, reason="order")

    def shown(path: str) -> set[str]:
        page = admin_client.get(path).content.decode().split("<main")[1]
        return {name for name in ("Mia Sand", "Omar Khan") if page.count(name) > ("member=" in path)}

    for path in (LIST, LEDGER):
        assert shown(path) == {"Mia Sand", "Omar Khan"}
        assert shown(f"{path}?q=khan") == {"Omar Khan"}
    assert shown(f"{LIST}?status=cancelled") == set()
    assert shown(f"{LEDGER}?reason=review") == {"Mia Sand"}
    assert shown(f"{LEDGER}?member={other.pk}") == {"Omar Khan"}
    for query in ("?q=%00", "?member=x", "?member=" + "9" * 30, "?reason=%00", "?created_at_from=x", "?status=x"):
        for path in (LIST, LEDGER):
            assert admin_client.get(path + query).status_code == 200


@pytest.mark.parametrize("path", [LIST, LEDGER])
@pytest.mark.both_databases
def test_a_list_takes_as_many_statements_for_thirty_as_for_two(path: str, admin_client: Client) -> None:
    counts = []
    for first, many in ((0, 2), (2, 30)):
        for number in range(first, many):
            award(member=make_member(f"m{number}@example.com"), points=5, reason="order")
        admin_client.get(path)
        with CaptureQueriesContext(connection) as queries:
            admin_client.get(path)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_only_managers_and_admins_see_points(member: Member, sign_in: Callable[[Any], Client]) -> None:
    award(member=member, points=50, reason="review")
    manager, editor = sign_in(people.mallory_manager()), sign_in(people.bob())
    for path in (LIST, LEDGER, f"{LIST}new/", f"{LIST}inspect/{PointsBalance.objects.get().pk}/"):
        assert manager.get(path).status_code == 200
        assert editor.get(path).status_code == 302
    sent = posted()
    editor.post(f"{LIST}new/", sent)
    assert points(member) == 50
    manager.post(f"{LIST}new/", sent)
    assert points(member) == 70
    assert LIST not in editor.get("/admin/").content.decode()


def test_the_demo_gives_points_once() -> None:
    switch_feature(name="members", on=False)
    load_members(1, lambda count: None)
    load(1, lambda count: None)
    assert {entry.reason for entry in PointsEntry.objects.all()} == {"signup", "review", "order"}
    assert PointsBalance.objects.count() == 15
    assert all_is_in_line()
    before = list(PointsEntry.objects.values())
    load(3, lambda count: None)
    assert list(PointsEntry.objects.values()) == before
