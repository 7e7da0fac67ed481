"""Deleted memberships, alone or with their accounts: one event each, and all of their data is deleted."""

from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db import DatabaseError, transaction
from django.test import Client
from wagtail.models import ModelLogEntry
from wagtail.search.models import IndexEntry

from cms_api.core.errors import Invalid
from cms_api.flags.services import switch_feature
from commerce.crm.models import Activity
from commerce.crm.services import upsert_contact
from commerce.loyalty.models import PointsBalance, PointsEntry
from commerce.loyalty.services import award
from commerce.members.models import Member, Plan
from commerce.members.services import cancel, change_plan, delete_member, join, notices, rejoin
from tests import people
from tests.accounts.signing_in import mails
from tests.client import together
from tests.figures import figure

from .conftest import emitted, kinds, make_member

pytestmark = pytest.mark.django_db

LIST = "/admin/members/"
User = get_user_model()


def entries(member: Member) -> int:
    """The number of search entries of a member."""
    return IndexEntry.objects.filter(object_id=str(member.pk), content_type__model="member").count()


@pytest.mark.both_databases
def test_it_works(member: Member, plan: Plan) -> None:
    """An account that is deleted ends the membership, as it was at the end."""
    change_plan(member=member, plan=plan)
    pk, sent = member.pk, len(mails())
    assert entries(member) == 1
    member.user.delete()
    (_, began), (kind, data) = emitted()
    assert kind == "member.cancelled"
    assert data == {
        **began,
        "plan": {"id": plan.pk, "name": "Friend"},
        "status": "cancelled",
        "cancelled_at": data["updated_at"],
        "updated_at": data["updated_at"],
    }
    assert data["id"] == pk
    assert data["cancelled_at"]
    assert (Member.objects.count(), entries(member), len(mails())) == (0, 0, sent)


def test_a_cancelled_member_emits_no_second_event(member: Member) -> None:
    cancel(member=member)
    member.user.delete()
    assert kinds() == ["member.created", "member.cancelled"]
    assert not Member.objects.exists()


def test_no_event_is_emitted_while_members_are_off(member: Member) -> None:
    switch_feature(name="members", on=False)
    member.user.delete()
    assert kinds() == ["member.created"]
    assert not Member.objects.exists()


def test_an_account_without_a_membership_emits_nothing() -> None:
    people.charlie().delete()
    assert kinds() == []


@pytest.mark.both_databases
def test_a_deletion_that_is_undone_tells_nobody(member: Member) -> None:
    with transaction.atomic():
        member.user.delete()
        assert kinds() == ["member.created", "member.cancelled"]
        transaction.set_rollback(True)
    assert kinds() == ["member.created"]
    assert Member.objects.get().is_active


@pytest.mark.parametrize("way", ["one by one", "all at once", "with a condition"])
@pytest.mark.both_databases
def test_many_accounts_are_deleted(way: str) -> None:
    made = [make_member(f"m{number}@example.com", f"M {number}") for number in range(5)]
    cancel(member=made[2])
    ids = [member.user_id for member in made[:4]]
    if way == "one by one":
        for user in User.objects.filter(pk__in=ids):
            user.delete()
    elif way == "all at once":
        User.objects.filter(pk__in=ids).delete()
    else:
        User.objects.filter(membership__in=made[:4]).delete()
    cancelled = [data["id"] for kind, data in emitted() if kind == "member.cancelled"]
    assert sorted(cancelled) == sorted(member.pk for member in made[:4])
    assert [member.pk for member in Member.objects.all()] == [made[4].pk]


@pytest.mark.both_databases
def test_memberships_that_are_deleted_without_their_accounts(member: Member) -> None:
    Member.objects.all().delete()
    assert kinds() == ["member.created", "member.cancelled"]
    assert User.objects.filter(pk=member.user_id).exists()
    assert join(account=member.user).is_new
    assert kinds() == ["member.created", "member.cancelled", "member.created"]


@pytest.mark.both_databases
def test_accounts_are_deleted_in_the_admin(admin_client: Client) -> None:
    first, second, third, fourth = (make_member(f"m{number}@example.com") for number in range(4))
    cancel(member=third)
    answer = admin_client.post(f"/admin/site-accounts/delete/{first.user_id}/")
    assert answer.status_code == 302
    ids = "&".join(f"id={member.user_id}" for member in (second, third))
    admin_client.post(f"/admin/bulk/accounts/siteaccount/delete/?{ids}&next=/admin/site-accounts/")
    assert [data["id"] for kind, data in emitted() if kind == "member.cancelled"] == [third.pk, first.pk, second.pk]
    assert [member.pk for member in Member.objects.all()] == [fourth.pk]


def test_the_timeline_says_so(member: Member, django_capture_on_commit_callbacks: Any) -> None:
    switch_feature(name="crm", on=True)
    other = make_member("omar@example.com")
    upsert_contact(values={"email": "mia@example.com"}, source="api")
    with django_capture_on_commit_callbacks(execute=True):
        member.user.delete()
    line = Activity.objects.get(contact__email="mia@example.com", kind="membership")
    assert (line.summary, line.link) == ("Membership deleted", "")
    cancel(member=other)
    with django_capture_on_commit_callbacks(execute=True):
        other.user.delete()
    assert not Activity.objects.filter(contact__email="omar@example.com", summary="Membership deleted").exists()


def test_a_timeline_that_fails_does_not_fail_the_deletion(
    member: Member, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def crash(**values: Any) -> None:
        raise DatabaseError

    monkeypatch.setattr(notices, "record_activity", crash)
    with django_capture_on_commit_callbacks(execute=True):
        member.user.delete()
    assert not Member.objects.exists()
    assert "Error calling follow_deletion" in caplog.text


@pytest.mark.both_databases
def test_a_membership_is_deleted_in_the_admin(admin_client: Client, member: Member) -> None:
    switch_feature(name="loyalty", on=True)
    award(member=member, points=5, reason="adjustment")
    pk, path = member.pk, f"{LIST}delete/{member.pk}/"
    assert f'href="{path}"' in admin_client.get(f"{LIST}inspect/{pk}/").content.decode()
    page = admin_client.get(path).content.decode()
    for words in ("Mia Sand", "The plan and points are deleted too", "an active member gets an email", "The account stays"):
        assert words in page
    assert Member.objects.exists()
    assert admin_client.post(path).headers["Location"] == LIST
    assert kinds() == ["member.created", "member.cancelled"]
    assert (Member.objects.count(), PointsEntry.objects.count(), PointsBalance.objects.count(), entries(member)) == (0, 0, 0, 0)
    assert [mail.recipient for mail in mails("member_cancelled")] == ["mia@example.com"]
    assert User.objects.filter(pk=member.user_id).exists()
    log = ModelLogEntry.objects.filter(action="wagtail.delete", content_type__model="member").get()
    assert (log.object_id, log.user, log.label) == (str(pk), User.objects.get(username="alice@example.com"), "Mia Sand")
    for method in ("get", "post"):
        assert getattr(admin_client, method)(path).status_code == 404


@pytest.mark.both_databases
def test_a_cancelled_member_is_deleted_without_email(admin_client: Client, member: Member) -> None:
    cancel(member=member)
    sent = len(mails())
    admin_client.post(f"{LIST}delete/{member.pk}/")
    assert kinds() == ["member.created", "member.cancelled"]
    assert (Member.objects.count(), len(mails())) == (0, sent)


def test_only_who_may_deletes(sign_in: Callable[[Any], Client], member: Member) -> None:
    path = f"{LIST}delete/{member.pk}/"
    editor, manager = sign_in(people.bob()), sign_in(people.mallory_manager())
    for client in (Client(), editor):
        for method in ("get", "post"):
            assert getattr(client, method)(path).status_code in (302, 403)
    assert Member.objects.exists()
    switch_feature(name="members", on=False)
    assert manager.post(path).status_code == 404
    switch_feature(name="members", on=True)
    assert manager.post(path).status_code == 302
    assert not Member.objects.exists()


def test_what_is_gone_is_neither_cancelled_nor_changed(member: Member, plan: Plan) -> None:
    delete_member(member=Member.objects.get())
    delete_member(member=member)
    assert not cancel(member=member)
    with pytest.raises(Invalid, match="no longer exists"):
        rejoin(member=member)
    with pytest.raises(Invalid, match="no longer exists"):
        change_plan(member=member, plan=plan)
    assert kinds() == ["member.created", "member.cancelled"]


@pytest.mark.django_db(transaction=True)
def test_ending_a_membership_many_times_at_once_emits_one_event() -> None:
    """Cancelling, deleting the membership and deleting the account run at the same time."""
    switch_feature(name="crm", on=True)
    for turn in range(figure(3, 6)):
        member = make_member(f"m{turn}@example.com")
        before = len(emitted("member.cancelled"))

        def work(number: int, member: Member = member) -> None:
            if number % 3 == 0:
                cancel(member=member)
            elif number % 3 == 1:
                delete_member(member=member)
            else:
                User.objects.filter(pk=member.user_id).delete()

        together(work, 6)
        assert len(emitted("member.cancelled")) == before + 1
        assert not Member.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_many_who_delete_the_same_accounts_at_once() -> None:
    """In whatever order they name them, while the same people cancel: nobody waits in a circle."""
    switch_feature(name="crm", on=True)
    members = [make_member(f"m{number}@example.com") for number in range(6)]
    ids = [member.user_id for member in members]

    def work(number: int) -> int:
        chosen = ids if number % 2 else ids[::-1]
        if number < 4:
            return User.objects.filter(pk__in=chosen).order_by("pk" if number % 2 else "-pk").delete()[0]
        return sum(cancel(member=member) for member in (members if number % 2 else members[::-1]))

    together(work, 6)
    assert sorted(data["id"] for _, data in emitted("member.cancelled")) == sorted(member.pk for member in members)
    assert not Member.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_an_account_is_deleted_while_it_joins() -> None:
    """Either nobody joined, or the membership went with the account, and began and ended once."""
    for turn in range(figure(3, 6)):
        user = User.objects.create_user(f"j{turn}@example.com", f"j{turn}@example.com", people.PASSWORD)
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)

        def work(number: int, user: Any = user) -> None:
            try:
                if number % 2:
                    join(account=user)
                else:
                    User.objects.filter(pk=user.pk).delete()
            except (DatabaseError, Invalid, ValidationError):
                # Joining with an account that is being deleted is refused, by the first part of the write that notices.
                return

        together(work, 4)
        User.objects.filter(pk=user.pk).delete()
    assert not Member.objects.exists()
    assert kinds().count("member.created") == kinds().count("member.cancelled")
