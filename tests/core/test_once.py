"""Marks of forms that were sent: one click is the first, and marks end."""

from datetime import timedelta

import pytest
from django.utils import timezone

from cms_api.core.models import SentForm
from cms_api.core.once import Once, delete_old_marks
from tests.client import together

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]


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


def test_old_marks_are_deleted() -> None:
    old = Once("an old form", seconds=60)
    old.use_up()
    end_marks()
    Once("a new form", seconds=60).use_up()
    delete_old_marks()
    assert SentForm.objects.count() == 1
