"""The public page of plans, and the page on which somebody joins, chooses, cancels and comes back."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from cms_api.flags.services import switch_feature
from cms_api.http import page_cache
from commerce.members.models import Member, Plan
from commerce.members.services import cancel, save_plan
from home.models import StandardPage
from home.services import create_home_page
from tests import people
from tests.accounts.signing_in import link, mails, sign_up

from .conftest import kinds, make_account, make_plan

pytestmark = pytest.mark.django_db

PAGE = "/accounts/membership/"


def test_it_works(plan: Plan, sign_in: Callable[[Any], Client]) -> None:
    client = sign_in(make_account())
    assert f'<a href="{PAGE}">' in client.get("/accounts/").content.decode()
    assert b"You're not a member yet." in client.get(PAGE).content
    assert client.post(PAGE, {"plan": "friend"}).status_code == 302
    page = client.get(PAGE).content.decode()
    assert "Welcome! You&#x27;re now a member." in page
    assert "Friend, 12.50 USD a month" in page
    assert b"Cancel your membership?" in client.get(f"{PAGE}cancel/").content
    assert Member.objects.get().is_active
    assert client.post(f"{PAGE}cancel/").status_code == 302
    assert b"Cancelled on" in client.get(PAGE).content
    client.post(PAGE, {"plan": ""})
    member = Member.objects.get()
    assert (member.is_active, member.plan) == (True, None)
    assert kinds() == ["member.created", "member.cancelled", "member.created"]


def test_plans_lead_to_signing_up_and_on_to_the_plan(plan: Plan) -> None:
    make_plan("Founder", enabled=False)
    visitor = Client()
    page = visitor.get("/membership").content.decode()
    assert "12.50 USD a month" in page
    assert "Founder" not in page
    signup = "/accounts/signup/?next=%2Faccounts%2Fmembership%2F%3Fplan%3Dfriend"
    assert f'href="{signup}"' in page
    assert 'name="next" value="/accounts/membership/?plan=friend"' in visitor.get(signup).content.decode()
    sign_up(visitor, next="/accounts/membership/?plan=friend")
    answer = visitor.post(link(mails("account_welcome")[0]))
    assert answer.headers["Location"] == "/accounts/membership/?plan=friend"
    page = visitor.get(answer.headers["Location"]).content.decode()
    assert "Switch to Friend?" in page
    assert 'value="friend" checked' in page


def test_the_page_of_plans_is_kept_until_a_plan_changes(plan: Plan) -> None:
    create_home_page()
    assert b"12.50 USD" in Client().get("/membership").content
    assert page_cache._pages
    save_plan(plan=plan, values={"price_cents": 990, "interval": "year"})
    assert b"9.90 USD a year" in Client().get("/membership").content
    save_plan(plan=plan, values={"price_cents": 0})
    assert b"Free" in Client().get("/membership").content
    assert b"/membership" in Client().get("/sitemap.xml").content


def test_a_page_of_that_name_is_the_sites_own_while_members_are_off(client: Client) -> None:
    switch_feature(name="members", on=False)
    page = create_home_page().add_child(instance=StandardPage(title="Our own page", slug="membership"))
    assert b"Our own page" in client.get(page.url).content


def test_guests_are_asked_to_sign_in() -> None:
    for path in (PAGE, f"{PAGE}cancel/"):
        for method in ("GET", "POST"):
            answer = Client().generic(method, path)
            assert (answer.status_code, answer.headers["Location"]) == (302, f"/accounts/login/?next={path}")


def test_nobodys_page_is_kept(signed_in: Client) -> None:
    for path in (PAGE, f"{PAGE}cancel/"):
        answer = signed_in.get(path)
        assert answer.status_code == 200
        assert {"private", "no-store"} <= set(answer.headers["Cache-Control"].split(", "))
    for method in ("PUT", "DELETE", "PATCH"):
        assert signed_in.generic(method, PAGE).status_code == 405


@pytest.mark.parametrize("plan", ["nothing", "\0", "founder", "1", "x" * 100_000, "' OR 1=1 --"])
def test_a_plan_that_cannot_be_chosen_is_refused(plan: str, signed_in: Client, member: Member) -> None:
    make_plan("Founder", enabled=False)
    answer = signed_in.post(PAGE, {"plan": plan})
    assert answer.status_code == 422
    assert b"Error: Membership" in answer.content
    assert signed_in.get(PAGE, {"plan": plan[:1000]}).status_code == 200
    member.refresh_from_db()
    assert member.plan is None


def test_a_plan_that_is_no_longer_offered_may_be_kept(signed_in: Client, member: Member) -> None:
    closed = make_plan("Founder", enabled=False)
    Member.objects.filter(pk=member.pk).update(plan=closed)
    assert b'value="founder" checked' in signed_in.get(PAGE).content
    assert signed_in.post(PAGE, {"plan": "founder"}).status_code == 302
    member.refresh_from_db()
    assert member.plan == closed
    cancel(member=member)
    assert b"founder" not in signed_in.get(PAGE).content


def test_cancelling_twice_says_how_it_stands(signed_in: Client, member: Member) -> None:
    for _ in range(2):
        assert signed_in.post(f"{PAGE}cancel/").headers["Location"] == PAGE
    assert kinds() == ["member.created", "member.cancelled"]
    assert signed_in.get(f"{PAGE}cancel/").headers["Location"] == PAGE


def test_an_editor_without_a_confirmed_address_is_told_so(sign_in: Callable[[Any], Client]) -> None:
    client = sign_in(people.bob())
    page = client.get(PAGE).content
    assert b"confirm your email address" in page
    assert b"Become a member</button>" not in page
    assert client.post(PAGE).status_code == 422
    assert not Member.objects.exists()


def test_posts_from_elsewhere_are_refused(member: Member) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(member.user)
    for path in (PAGE, f"{PAGE}cancel/"):
        assert client.post(path).status_code == 403
    member.refresh_from_db()
    assert member.is_active


def test_what_is_written_in_a_plan_is_shown_as_text(signed_in: Client) -> None:
    make_plan("<b>Bold</b>", slug="bold", description="<script>alert(1)</script>")
    for page in (signed_in.get(PAGE).content, Client().get("/membership").content):
        assert b"<script>alert" not in page
        assert b"&lt;b&gt;Bold" in page
