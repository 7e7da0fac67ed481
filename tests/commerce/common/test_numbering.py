"""Numbers of records: in sequence, without gaps or duplicates, also when many are created at once or some fail."""

import threading

import pytest
from django.db import transaction

from commerce.common.models import Counter
from commerce.common.services import next_number
from tests.client import together

pytestmark = pytest.mark.both_databases


class Planned(Exception):
    """Rolls a transaction back."""


def taken(series: str = "ORD", *, fails: bool = False) -> int:
    """Take a number as a service does: in the transaction of its record."""
    with transaction.atomic():
        number = next_number(series, first=1001)
        if fails:
            raise Planned
    return number


@pytest.mark.django_db
def test_it_works() -> None:
    assert [taken(), taken(), taken("INV"), taken()] == [1001, 1002, 1001, 1003]
    assert str(Counter.objects.get(series="ORD")) == "ORD 1003"


@pytest.mark.django_db
def test_a_number_that_was_rolled_back_is_given_again() -> None:
    with pytest.raises(Planned):
        taken(fails=True)
    assert taken() == 1001
    with pytest.raises(Planned):
        taken(fails=True)
    assert taken() == 1002


@pytest.mark.django_db(transaction=True)
def test_outside_a_transaction_there_is_none() -> None:
    with pytest.raises(RuntimeError, match="in the transaction of its record"):
        next_number("ORD")
    assert not Counter.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_twenty_at_once_have_twenty_numbers_in_a_row() -> None:
    assert sorted(together(lambda number: taken(), 20)) == list(range(1001, 1021))


@pytest.mark.django_db(transaction=True)
def test_those_that_fail_leave_no_gap() -> None:
    def create(number: int) -> int | None:
        try:
            return taken(fails=number % 2 == 0)
        except Planned:
            return None

    numbers = [number for number in together(create, 20) if number]
    assert sorted(numbers) == list(range(1001, 1011))
    assert taken() == 1011


@pytest.mark.django_db(transaction=True)
def test_control_reading_before_writing_gives_a_number_twice() -> None:
    """The same callers with the obvious code: all read before any of them writes."""
    Counter.objects.create(series="ORD", last=1000)
    read = threading.Barrier(10)

    def create(number: int) -> int:
        last = Counter.objects.get(series="ORD").last
        read.wait(20)
        Counter.objects.filter(series="ORD").update(last=last + 1)
        return last + 1

    assert set(together(create, 10)) == {1001}
