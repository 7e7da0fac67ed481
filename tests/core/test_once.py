"""Marks of forms that were sent: one click is the first, and marks end."""

import time
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from cms_api.core import once
from cms_api.core.models import SentForm
from cms_api.core.once import LEASE_SECONDS, Once, delete_old_marks
from tests.client import together
from tests.waiting import until

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Set the clock to so many seconds after now."""
    began = timezone.now()
    return lambda seconds: monkeypatch.setattr(timezone, "now", lambda: began + timedelta(seconds=seconds))


def end_marks() -> None:
    SentForm.objects.update(remembered_until=timezone.now() - timedelta(seconds=1))


def test_it_works() -> None:
    first, second = (Once("a form", seconds=60) for _ in range(2))
    assert first.find_place() is None
    assert (first.use_up(), second.use_up(), Once("another form", seconds=60).use_up()) == (True, False, True)
    assert second.find_place() == ""
    first.remember("/made/")
    assert second.find_place() == "/made/"
    first.allow_again()
    assert (second.find_place(), second.use_up()) == (None, True)


def test_one_of_many_is_the_first() -> None:
    assert sorted(together(lambda _: Once("a form", seconds=60).use_up(), 8)) == [False] * 7 + [True]


def test_it_is_forgotten_in_time() -> None:
    form = Once("a form", seconds=60)
    form.use_up()
    form.remember("/made/")
    end_marks()
    assert form.find_place() is None
    assert sorted(together(lambda _: Once("a form", seconds=60).use_up(), 8)) == [False] * 7 + [True]
    assert form.find_place() == ""


def test_a_form_whose_process_was_killed_can_be_sent_again_after_a_minute(clock: Callable[[float], None]) -> None:
    form = Once("a form", seconds=600)
    form.use_up()
    clock(LEASE_SECONDS - 1)
    assert (form.find_place(), form.use_up()) == ("", False)
    clock(LEASE_SECONDS + 1)
    assert (form.find_place(), form.use_up()) == (None, True)
    form.remember("/made/")
    clock(LEASE_SECONDS + 1 + 599)
    assert (form.find_place(), form.use_up()) == ("/made/", False)


def test_a_form_that_takes_long_stays_taken(clock: Callable[[float], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(once, "RENEW_SECONDS", 0.01)
    form = Once("a form", seconds=600)
    form.use_up()
    clock(LEASE_SECONDS - 1)
    with form.keep_lease():
        until(lambda: SentForm.objects.filter(remembered_until__gt=timezone.now() + timedelta(seconds=2)).exists())
    clock(LEASE_SECONDS + 1)
    assert (form.find_place(), Once("a form", seconds=600).use_up()) == ("", False)
    form.remember("/made/")
    clock(LEASE_SECONDS + 500)
    with form.keep_lease():
        time.sleep(0.1)
    # It is never renewed for less than it is remembered.
    clock(LEASE_SECONDS + 590)
    assert form.find_place() == "/made/"


def test_old_marks_are_deleted() -> None:
    old = Once("an old form", seconds=60)
    old.use_up()
    end_marks()
    Once("a new form", seconds=60).use_up()
    delete_old_marks()
    assert SentForm.objects.count() == 1
