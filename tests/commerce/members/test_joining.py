"""Joining: the accounts that become members, the webhook events of it, and the records that stay unchanged."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.db import IntegrityError
from django.test import Client
from django.utils import timezone

from cms_api.accounts.services import create_member, rename_member
from cms_api.core.errors import Invalid
from cms_api.flags.services import switch_feature
from commerce.crm.models import Activity, Contact
from commerce.members.models import Member, Plan
from commerce.members.selectors import find_member, members
from commerce.members.services import add_member, cancel, change_plan, join, rejoin
from tests import people
from tests.accounts.signing_in import link, mails, sign_up
from tests.client import together

from .conftest import emitted, kinds, make_account, make_plan

pytestmark = pytest.mark.django_db


@pytest.mark.both_databases
def test_it_works(plan: Plan) -> None:
    """Signing up makes nobody a member, confirming does."""
    visitor = Client()
    sign_up(visitor, "Nina@Example.com", name="Nina van Dyck")
    assert not Member.objects.exists()
    visitor.post(link(mails("account_welcome")[0]))
    member = Member.objects.get()
    ((kind, data),) = emitted()
    assert kind == "member.created"
    assert data == {
        "id": member.pk,
        "email": "nina@example.com",
        "first_name": "Nina",
        "last_name": "van Dyck",
        "name": "Nina van Dyck",
        "plan": None,
        "status": "active",
        "joined_at": data["joined_at"],
        "cancelled_at": None,
        "created_at": data["joined_at"],
        "updated_at": data["joined_at"],
    }
    (mail,) = mails("member_welcome")
    assert (mail.recipient, "Hello Nina van Dyck," in mail.text) == ("nina@example.com", True)
    assert "http://testserver/accounts/membership/" in mail.text
    assert change_plan(member=member, plan=plan)
    assert cancel(member=member)
    last = emitted()[-1]
    assert last[0] == "member.cancelled"
    assert (last[1]["status"], last[1]["plan"]) == ("cancelled", {"id": plan.pk, "name": "Friend"})
    assert last[1]["cancelled_at"]
    assert [mail.template for mail in mails()[-2:]] == ["member_welcome", "member_cancelled"]


def test_the_command_makes_a_member(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("create_member", "mia@example.com", "--password", people.PASSWORD)
    assert str(Member.objects.get().user_id) == capsys.readouterr().out.strip()
    call_command("create_member", "mia@example.com", "--password", "another good phrase")
    assert kinds() == ["member.created"]


def test_the_command_makes_a_member_of_an_account_that_was_never_confirmed() -> None:
    sign_up(Client(), "mia@example.com")
    create_member(email="mia@example.com", password=people.PASSWORD)
    assert Member.objects.count() == 1


def test_while_members_are_off_nobody_becomes_one() -> None:
    user = make_account()
    assert not Member.objects.exists()
    assert not mails()
    assert join(account=user).is_new


def test_an_account_from_before_joins_by_nothing_else_than_joining(sign_in: Any) -> None:
    user = make_account()
    rename_member(user=user, name="Olga New")
    client = sign_in(create_member(email="old@example.com", password="another good phrase"))
    client.post("/accounts/email/", {"action_add": "1", "email": "new@example.com", "password": "another good phrase"})
    client.post(link(mails("account_confirm")[0]))
    user.refresh_from_db()
    assert user.email == "new@example.com"
    assert not Member.objects.exists()


def test_an_editor_who_confirms_an_address_is_no_member_by_that(sign_in: Any) -> None:
    bob = people.bob()
    client = sign_in(bob)
    client.post("/accounts/email/", {"action_send": "1"})
    client.post(link(mails("account_confirm")[0]))
    assert not Member.objects.exists()
    client.post("/accounts/membership/")
    assert Member.objects.get().user == bob


def test_who_has_not_confirmed_cannot_join() -> None:
    user = User.objects.create_user("x@example.com", "x@example.com", "x")
    EmailAddress.objects.create(user=user, email="x@example.com", primary=True)
    with pytest.raises(Invalid, match="Confirm your email address first"):
        join(account=user)
    assert not Member.objects.exists()


def test_a_change_of_name_or_address_is_the_members_too(member: Member, signed_in: Client) -> None:
    rename_member(user=member.user, name="Mia Stone")
    signed_in.post("/accounts/email/", {"action_add": "1", "email": "stone@example.com", "password": people.PASSWORD})
    signed_in.post(link(mails("account_confirm")[0]))
    for words in ("stone", "mia stone", "stone@example.com"):
        assert [each.email for each in members(search=words)] == ["stone@example.com"]
    assert not members(search="sand").exists()
    assert find_member("Stone@Example.com") == member
    assert find_member("mia@example.com") is None
    assert kinds() == ["member.created"]


def test_an_address_that_is_not_confirmed_finds_nobody(member: Member) -> None:
    EmailAddress.objects.create(user=member.user, email="other@example.com")
    assert find_member("other@example.com") is None


@pytest.mark.both_databases
def test_each_is_done_once(member: Member, plan: Plan) -> None:
    assert not join(account=member.user).is_new
    assert not rejoin(member=member)
    assert change_plan(member=member, plan=plan)
    assert not change_plan(member=member, plan=plan)
    assert cancel(member=member)
    assert not cancel(member=member)
    assert rejoin(member=member, user=people.alice())
    member.refresh_from_db()
    assert (member.plan, member.cancelled_at, member.is_active) == (plan, None, True)
    assert kinds() == ["member.created", "member.cancelled", "member.created"]


def test_a_plan_that_is_not_offered_is_refused(member: Member) -> None:
    closed = make_plan("Founder", enabled=False)
    with pytest.raises(Invalid, match="invalid"):
        change_plan(member=member, plan=closed)
    Member.objects.filter(pk=member.pk).update(plan=closed)
    assert not change_plan(member=member, plan=closed)
    cancel(member=member)
    assert rejoin(member=member)
    member.refresh_from_db()
    assert member.plan is None


def test_who_has_cancelled_chooses_no_plan(member: Member, plan: Plan) -> None:
    cancel(member=member)
    with pytest.raises(Invalid, match="cancelled"):
        change_plan(member=member, plan=plan)


def test_the_crm_knows_members_while_it_is_on(plan: Plan) -> None:
    create_member(email="early@example.com", password=people.PASSWORD)
    assert not Contact.objects.exists()
    switch_feature(name="crm", on=True)
    member = Member.objects.get(user=create_member(email="mia@example.com", password=people.PASSWORD, name="Mia Sand"))
    contact = Contact.objects.get()
    assert (contact.email, contact.first_name, contact.last_name, contact.source) == ("mia@example.com", "Mia", "Sand", "member")
    change_plan(member=member, plan=plan)
    change_plan(member=member, plan=None)
    cancel(member=member)
    rejoin(member=member)
    lines = Activity.objects.filter(kind="membership").order_by("pk")
    assert [line.summary for line in lines] == [
        "Became a member",
        "Changed to the plan Friend",
        "Left the plan",
        "Cancelled the membership",
        "Became a member",
    ]
    assert {line.link for line in lines} == {f"/admin/members/inspect/{member.pk}/"}


def test_somebody_who_is_added_chooses_a_password_by_mail() -> None:
    member = add_member(email="Zoe@Example.com", name="Zoe Quill", user=people.alice())
    assert (member.email, member.name, member.is_active) == ("zoe@example.com", "Zoe Quill", True)
    assert not member.user.has_usable_password()
    assert {mail.template for mail in mails()} == {"member_welcome", "account_invitation"}
    visitor = Client()
    page = visitor.get(link(mails("account_invitation")[0]), follow=True)
    chosen = visitor.post(page.request["PATH_INFO"], {"password1": "a phrase of my own", "password2": "a phrase of my own"})
    assert chosen.status_code == 302
    answer = visitor.post("/accounts/login/", {"login": "zoe@example.com", "password": "a phrase of my own"})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/accounts/")


def test_somebody_who_is_added_and_has_an_account_keeps_it() -> None:
    user = make_account()
    add_member(email="old@example.com", name="Another Name", user=people.alice())
    user.refresh_from_db()
    assert (user.first_name, user.check_password(people.PASSWORD)) == ("Olga Old", True)
    assert [mail.template for mail in mails()] == ["member_welcome"]


def test_who_signed_up_with_anothers_address_gets_no_account_when_that_is_added() -> None:
    visitor = Client()
    sign_up(visitor, "zoe@example.com", name="Mallory", password1="the stranger's own phrase")
    member = add_member(email="zoe@example.com", name="Zoe", user=people.alice())
    assert (member.name, member.user.has_usable_password()) == ("Zoe", False)
    visitor.post("/accounts/login/", {"login": "zoe@example.com", "password": "the stranger's own phrase"})
    assert "_auth_user_id" not in visitor.session


def test_who_cannot_be_added_is_refused() -> None:
    people.bob()
    for email in ("", "zoe", "z\0@example.com", "z" * 200 + "@example.com", "a@b.co\nc@d.co", "bob@example.com"):
        with pytest.raises(Invalid) as refused:
            add_member(email=email)
        assert set(refused.value.errors) == {"email"}, email
    assert not Member.objects.exists()


@pytest.mark.parametrize("role", ["manager", "editor", None])
def test_who_was_deactivated_is_not_given_back(role: str | None, sign_in: Callable[[Any], Client]) -> None:
    """Not by a manager, who may not change accounts: a member of staff as *Settings -> Users* makes one, or somebody else."""
    fired = User.objects.create_user("fired", "fired@example.com", people.PASSWORD, is_active=False)
    fired.groups.set(Group.objects.filter(name=role))
    form = sign_in(people.mallory_manager()).post("/admin/members/new/", {"name": "Fred", "email": "fired@example.com"})
    assert form.status_code == 200
    assert "has already been taken" in form.content.decode()
    fired.refresh_from_db()
    assert (fired.is_active, fired.username, fired.first_name) == (False, "fired", "")
    assert fired.check_password(people.PASSWORD)
    assert not Member.objects.exists()
    assert mails() == []


def test_a_member_is_not_added_again(member: Member) -> None:
    with pytest.raises(Invalid, match="already exists"):
        add_member(email="MIA@example.com")


@pytest.mark.django_db(transaction=True)
def test_twenty_who_join_at_once_are_one_member() -> None:
    user = make_account()
    outcomes = together(lambda number: join(account=user).is_new, 20)
    assert sorted(outcomes) == [False] * 19 + [True]
    assert Member.objects.count() == len(mails("member_welcome")) == 1
    assert kinds() == ["member.created"]


@pytest.mark.django_db(transaction=True)
def test_control_looking_before_writing_loses_the_race() -> None:
    """The same callers without the service's help: all find nobody, and all but one are refused by the database."""
    user, looked = make_account(), threading.Barrier(10)

    def look_and_write(number: int) -> int:
        now = timezone.now()
        assert not Member.objects.filter(user=user).exists()
        looked.wait(20)
        try:
            Member.objects.create(user=user, joined_at=now, created_at=now, updated_at=now)
        except IntegrityError:
            return 1
        return 0

    assert sum(together(look_and_write, 10)) == 9


@pytest.mark.django_db(transaction=True)
def test_a_link_that_is_followed_many_times_at_once_makes_one_member() -> None:
    sign_up(Client(), "nina@example.com")
    path = link(mails("account_welcome")[0])
    together(lambda number: Client().post(path), 6)
    assert Member.objects.count() == len(mails("member_welcome")) == 1
    assert kinds() == ["member.created"]


@pytest.mark.django_db(transaction=True)
def test_who_cancels_twenty_times_at_once_cancels_once(member: Member) -> None:
    assert sum(together(lambda number: cancel(member=member), 20)) == 1
    assert kinds() == ["member.created", "member.cancelled"]
    assert len(mails("member_cancelled")) == 1
    assert sum(together(lambda number: rejoin(member=member), 20)) == 1
