"""Accounts that nobody confirms are deleted after a month, and no others."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from wagtail.models import ModelLogEntry

from cms_api.accounts.services import create_member, invite_member
from cms_api.accounts.services.housekeeping import drop_unconfirmed
from cms_api.core import registry
from cms_api.mail.models import MailTemplate
from tests import people
from tests.client import together

from .signing_in import confirmation_path, link, mails, sign_up

pytestmark = pytest.mark.django_db

User = get_user_model()


def age(days: float = 31) -> None:
    User.objects.update(date_joined=timezone.now() - timedelta(days=days))


def names() -> set[str]:
    return set(User.objects.values_list("username", flat=True))


def unconfirmed(email: str = "nina@example.com", **changes: Any) -> Any:
    user = User.objects.create(username=email, email=email, **changes)
    EmailAddress.objects.create(user=user, email=email, primary=True)
    return user


@pytest.mark.both_databases
def test_it_works(visitor: Client) -> None:
    sign_up(visitor)
    path = link(mails("account_welcome")[0])
    sign_up(Client(), "omar@example.com")
    Client().post(link(mails("account_welcome")[1]))
    drop_unconfirmed()
    assert names() == {"nina@example.com", "omar@example.com"}
    age(29.9)
    drop_unconfirmed()
    assert names() == {"nina@example.com", "omar@example.com"}
    age()
    drop_unconfirmed()
    assert names() == {"omar@example.com"}
    assert not EmailAddress.objects.filter(email="nina@example.com").exists()
    assert visitor.post(path).status_code == 404
    sign_up(Client())
    assert names() == {"nina@example.com", "omar@example.com"}


@pytest.mark.both_databases
def test_while_there_are_no_accounts_they_are_deleted_too() -> None:
    unconfirmed()
    age()
    drop_unconfirmed()
    assert names() == set()


def test_who_was_invited_or_made_by_somebody_stays() -> None:
    create_member(email="mia@example.com", password=people.PASSWORD)
    invite_member(email="omar@example.com")
    people.alice(), people.bob(), people.charlie()
    age()
    before = names()
    drop_unconfirmed()
    assert names() == before


@pytest.mark.both_databases
def test_a_member_who_changes_the_address_stays(signed_in: Client, member: Any) -> None:
    """The new one is not confirmed, and they may never have signed in by the form."""
    EmailAddress.objects.create(user=member, email="new@example.com")
    User.objects.update(last_login=None)
    age()
    drop_unconfirmed()
    assert names() == {"mia@example.com"}


@pytest.mark.parametrize("changes", [{"is_staff": True}, {"is_superuser": True}, {"last_login": timezone.now()}])
def test_who_may_enter_the_admin_or_has_signed_in_stays(changes: dict[str, Any]) -> None:
    unconfirmed(**changes)
    age()
    drop_unconfirmed()
    assert names() == {"nina@example.com"}


def own_nothing(user: Any) -> None:
    pass


def own_a_group(user: Any) -> None:
    user.groups.add(Group.objects.create(name="Painters"))


def own_a_permission(user: Any) -> None:
    user.user_permissions.add(Permission.objects.all()[0])


def own_a_line_of_the_log(user: Any) -> None:
    people.charlie()
    ModelLogEntry.objects.log_action(instance=User.objects.get(username="charlie@example.com"), action="wagtail.edit", user=user)


def own_a_change(user: Any) -> None:
    MailTemplate.objects.create(name="account_welcome", subject="Hello", text="{{ link }}", changed_by=user)


@pytest.mark.parametrize("own", [own_nothing, own_a_group, own_a_permission, own_a_line_of_the_log, own_a_change])
@pytest.mark.both_databases
def test_whom_something_refers_to_stays(own: Callable[[Any], None]) -> None:
    own(unconfirmed())
    unconfirmed("other@example.com")
    age()
    drop_unconfirmed()
    assert ("nina@example.com" in names()) == (own is not own_nothing)
    assert "other@example.com" not in names()


@pytest.mark.both_databases
def test_many_are_deleted_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cms_api.accounts.services.housekeeping.BATCH", 4)
    counts = []
    for many in (4, 12):
        for number in range(many):
            unconfirmed(f"u{number}@example.com")
        age()
        with CaptureQueriesContext(connection) as queries:
            drop_unconfirmed()
        assert names() == set()
        counts.append(len(queries))
    assert counts[1] <= 3 * counts[0]


def test_a_run_ends_and_the_next_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    unconfirmed()
    age()
    (job,) = [job for job in registry.jobs() if job.name == "drop_unconfirmed_accounts"]
    with monkeypatch.context() as patch:
        patch.setattr("cms_api.accounts.services.housekeeping.RUN_SECONDS", -1.0)
        registry.load(job.function)()
    assert names() == {"nina@example.com"}
    registry.load(job.function)()
    assert names() == set()


@pytest.mark.django_db(transaction=True)
def test_confirming_and_deleting_at_once(accounts_on: None) -> None:
    """Everybody who sees a confirmation has an account afterwards, and no request fails."""
    for turn in range(5):
        asked = [unconfirmed(f"u{turn}-{number}@example.com").emailaddress_set.get() for number in range(4)]
        age()
        paths = [confirmation_path(each) for each in asked]

        def work(number: int, paths: list[str] = paths) -> int:
            if number % 2:
                drop_unconfirmed()
                return 0
            return Client().post(paths[number]).status_code

        assert set(together(work, 4)) <= {0, 200, 302, 404}
        drop_unconfirmed()
        ours = User.objects.filter(username__startswith=f"u{turn}-")
        confirmed = EmailAddress.objects.filter(user__in=ours, verified=True)
        assert confirmed.count() == ours.count()
