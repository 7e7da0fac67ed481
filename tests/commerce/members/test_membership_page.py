"""The public page of plans, and the page on which somebody joins, chooses, cancels and comes back."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from cms_api.flags.services import set_setting, switch_feature
from cms_api.http import page_cache
from commerce.members.models import Member, Plan
from commerce.members.services import cancel, change_plan, decline_plan, save_plan
from home.models import StandardPage
from home.services import create_home_page
from tests import people
from tests.accounts.signing_in import link, mails, sign_up

from .conftest import kinds, make_account, make_plan

pytestmark = pytest.mark.django_db

PAGE = "/accounts/membership/"


@pytest.mark.both_databases
def test_it_works(plan: Plan, sign_in: Callable[[Any], Client]) -> None:
    client = sign_in(make_account())
    assert f'<a href="{PAGE}">' in client.get("/accounts/").content.decode()
    assert b"You're not a member yet." in client.get(PAGE).content
    assert client.post(PAGE, {"plan": "friend"}).status_code == 302
    page = client.get(PAGE).content.decode()
    assert "Welcome! You&#x27;re now a member." in page
    assert "Friend, $12.50 a month" in page
    assert "Awaiting payment" in page
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
    assert "$12.50 a month" in page
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
    assert b"$12.50" in Client().get("/membership").content
    assert page_cache._pages
    save_plan(plan=plan, values={"price_cents": 990, "interval": "year"})
    assert b"$9.90 a year" in Client().get("/membership").content
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
    assert "Plan: This plan isn&#x27;t offered any more. Choose another one." in answer.content.decode()
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


def test_a_plan_with_a_price_waits_for_its_payment(signed_in: Client, member: Member, plan: Plan, admin_client: Client) -> None:
    set_setting(key="members.how_to_pay", value="Pay to GB33 BUKB 2020 1555 5555 55.")
    page = signed_in.post(PAGE, {"plan": "friend"}, follow=True).content.decode()
    assert "Your plan starts once we&#x27;ve received your payment." in page
    assert "GB33 BUKB" in page
    member.refresh_from_db()
    assert (member.plan, member.requested_plan) == (None, plan)
    assert "No changes were made." in signed_in.post(PAGE, {"plan": "friend"}, follow=True).content.decode()

    assert "Plans awaiting payment" in admin_client.get("/admin/").content.decode()
    assert "Mia Sand" in admin_client.get("/admin/members/?awaiting_payment=yes").content.decode()
    admin_client.post(f"/admin/members/confirm-payment/{member.pk}/", follow=True)
    member.refresh_from_db()
    assert (member.plan, member.requested_plan) == (plan, None)
    assert "Mia Sand" not in admin_client.get("/admin/members/?awaiting_payment=yes").content.decode()


def test_a_plan_that_waits_can_be_declined_withdrawn_and_ended(signed_in: Client, member: Member, plan: Plan) -> None:
    def requested() -> Plan | None:
        member.refresh_from_db()
        return member.requested_plan

    for end in (
        lambda: decline_plan(member=member, user=people.alice()),
        lambda: signed_in.post(PAGE, {"plan": ""}),
        lambda: cancel(member=member),
    ):
        signed_in.post(PAGE, {"plan": "friend"})
        assert requested() == plan
        end()
        assert (requested(), member.plan) == (None, None)


def test_a_plan_with_a_price_is_paid_again_after_coming_back(signed_in: Client, member: Member, plan: Plan) -> None:
    change_plan(member=member, plan=plan, user=people.alice())
    cancel(member=member)
    signed_in.post(PAGE, {"plan": "friend"})
    member.refresh_from_db()
    assert (member.is_active, member.plan, member.requested_plan) == (True, None, plan)


def test_a_free_plan_needs_no_payment(signed_in: Client, member: Member) -> None:
    free = make_plan("Neighbour")
    signed_in.post(PAGE, {"plan": "neighbour"})
    member.refresh_from_db()
    assert member.plan == free
