"""A reply and an edit that drops its date, at the same time: it is refused or its date stays, cancelled; none is lost."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from django.db import IntegrityError, connection, connections, transaction

from cms_api.content.models import ContentItem
from cms_api.core.locks import lock_for_share
from events.models import Rsvp
from tests.client import together

from .test_expand import WEEKLY, change, make_event, reply

pytestmark = pytest.mark.django_db(transaction=True)

#: Seconds in which a call finishes unless it waits for a lock.
PATIENCE = 0.7


def answer(
    item: ContentItem, row: ContentItem, email: str, *, holds: bool = True, then: Callable[[], Any] = lambda: None
) -> bool:
    """Replies as visitors do; False where the date was gone."""
    with transaction.atomic():
        if holds and not lock_for_share(ContentItem, [row.pk]):
            return False
        reply(item, row, email)
        then()
    return True


def start(pool: ThreadPoolExecutor, work: Callable[[], Any]) -> Future[Any]:
    def run() -> Any:
        try:
            return work()
        finally:
            connections.close_all()

    return pool.submit(run)


def first_row(item: ContentItem) -> ContentItem:
    return ContentItem.objects.filter(owner=item).order_by("starts_at")[0]


def is_cancelled(row: ContentItem) -> bool:
    return bool(ContentItem.objects.get(pk=row.pk).data["at"].get("cancelled"))


def test_it_works_for_a_reply_that_is_first() -> None:
    """The edit waits for it, and keeps its date."""
    item = make_event(repeat=WEEKLY)
    row = first_row(item)
    with ThreadPoolExecutor(1) as pool:
        begun = threading.Event()

        def edit() -> None:
            begun.wait(10)
            change(item, repeat=None)

        edited = start(pool, edit)

        def wait() -> None:
            begun.set()
            time.sleep(PATIENCE)
            assert not edited.done()

        assert answer(item, row, "a@example.org", then=wait)
        edited.result(30)
    assert is_cancelled(row)
    assert Rsvp.objects.get().occurrence_id == row.pk


def test_for_an_edit_that_is_first() -> None:
    """The reply waits for it, and is refused."""
    item = make_event(repeat=WEEKLY)
    row = first_row(item)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            change(item, repeat=None)
            given = start(pool, lambda: answer(item, row, "a@example.org"))
            time.sleep(PATIENCE)
            assert not given.done()
        assert given.result(30) is False
    assert not Rsvp.objects.exists()
    assert not ContentItem.objects.filter(pk=row.pk).exists()


def test_an_edit_that_keeps_the_date_holds_no_reply_up() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer at a time.")
    item = make_event(repeat=WEEKLY)
    row = first_row(item)
    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        change(item, repeat={**WEEKLY, "count": 3})
        assert start(pool, lambda: answer(item, row, "a@example.org")).result(30) is True


def test_without_the_lock_an_rsvp_breaks() -> None:
    """The failure that the two tests above rule out does happen without the lock."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer at a time.")
    item = make_event(repeat=WEEKLY)
    row = first_row(item)

    def edit() -> None:
        with ThreadPoolExecutor(1) as pool:
            start(pool, lambda: change(item, repeat=None)).result(30)

    with pytest.raises(IntegrityError):
        answer(item, row, "a@example.org", holds=False, then=edit)
    assert not ContentItem.objects.filter(pk=row.pk).exists()


@pytest.mark.parametrize("turn", range(4))
def test_many_replies_while_the_date_goes(turn: int) -> None:
    item = make_event(repeat=WEEKLY)
    rows = list(ContentItem.objects.filter(owner=item).order_by("starts_at"))

    def act(number: int) -> Any:
        time.sleep(0.01 * number * turn)
        if number == 2:
            return change(item, repeat=None)
        return answer(item, rows[number % 3], f"{number}@example.org")

    answers = together(act, 6)
    taken = {f"{number}@example.org" for number, said in enumerate(answers) if said is True}
    assert set(Rsvp.objects.values_list("email", flat=True)) == taken
    left = ContentItem.objects.filter(owner=item)
    assert {row.pk for row in left} == set(Rsvp.objects.values_list("occurrence", flat=True))
    assert all(row.data["at"].get("cancelled") for row in left)


def test_two_edits_at_once() -> None:
    item = make_event(repeat=WEEKLY)
    together(lambda number: change(item, repeat={**WEEKLY, "count": 3 + number}), 4)
    starts = [row.data["at"]["start"] for row in ContentItem.objects.filter(owner=item)]
    item.refresh_from_db()
    assert len(starts) == len(set(starts)) == item.data["at"]["repeat"]["count"] - 1
