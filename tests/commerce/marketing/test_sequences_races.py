"""Several workers send at once, people leave meanwhile, and a worker dies in the midst of it: each step goes out once."""

import threading
from collections import Counter
from typing import Any

import pytest

from cms_api.mail.models import OutgoingMail
from commerce.marketing.models import Enrolment, Subscriber
from commerce.marketing.services import sending as sender
from commerce.marketing.services import unsubscribe, upsert_subscriber
from commerce.marketing.services.enrolment import enrol, enrol_all
from commerce.marketing.services.sending import send_steps
from commerce.marketing.services.sequences import switch_sequence
from tests.client import together

from .conftest import make_subscriber
from .sequences import STEPS, as_rows, change_steps, make_sequence, wait, written

pytestmark = pytest.mark.django_db(transaction=True)

PEOPLE = 8


def people(count: int = PEOPLE) -> list[Subscriber]:
    return [make_subscriber(f"person{number}@example.com") for number in range(count)]


class Killed(BaseException):
    """An exception that no part of the product catches, as if the process had died."""


def test_it_works_with_several_workers() -> None:
    sequence = make_sequence()
    enrol_all(sequence=sequence, subscribers=people())
    for step in range(len(STEPS)):
        assert sum(together(lambda _: send_steps(), 4)) == PEOPLE
        assert len(written()) == PEOPLE * (step + 1)
        wait(days=2)
    assert max(Counter(written()).values()) == 1
    assert set(Enrolment.objects.values_list("state", flat=True)) == {"finished"}


def test_control_without_the_claim_they_would_send_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same workers, each of whom believes that it was the one."""
    enrol_all(sequence=make_sequence(), subscribers=people(5))
    claim, all_have_looked = sender.claim, threading.Barrier(3)

    def look_and_wait(*given: Any) -> list[Any]:
        found = steps(*given)
        all_have_looked.wait(20)
        return found

    steps = sender._steps
    monkeypatch.setattr(sender, "_steps", look_and_wait)
    monkeypatch.setattr(sender, "claim", lambda *given: claim(*given) or True)
    together(lambda _: send_steps(stop=lambda: OutgoingMail.objects.count() > 50), 3)
    assert max(Counter(written()).values()) == 3


def test_with_the_claim_those_who_looked_at_the_same_time_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    enrol_all(sequence=make_sequence(), subscribers=people(5))
    steps, all_have_looked = sender._steps, threading.Barrier(3)

    def look_and_wait(*given: Any) -> list[Any]:
        found = steps(*given)
        all_have_looked.wait(20)
        return found

    monkeypatch.setattr(sender, "_steps", look_and_wait)
    assert sum(together(lambda _: send_steps(), 3)) == 5
    assert max(Counter(written()).values()) == 1


@pytest.mark.parametrize("when", ["before the claim", "after the claim"])
def test_a_worker_that_dies_loses_nothing_and_repeats_nothing(monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    enrol_all(sequence=make_sequence(), subscribers=people(3))
    claim = sender.claim
    asked: list[int] = []

    def die(*given: Any) -> bool:
        done = when == "after the claim" and claim(*given)
        asked.append(1)
        if len(asked) == 2:
            raise Killed
        return done or claim(*given)

    monkeypatch.setattr(sender, "claim", die)
    with pytest.raises(Killed):
        send_steps()
    assert len(written()) == 1
    assert Enrolment.objects.exclude(sent=[]).count() == 1
    monkeypatch.setattr(sender, "claim", claim)
    assert send_steps() == 2
    assert Counter(address for address, _ in written()) == Counter(f"person{number}@example.com" for number in range(3))


def test_people_who_unsubscribe_while_it_is_sent_get_no_more() -> None:
    sequence, found = make_sequence(), people()
    enrol_all(sequence=sequence, subscribers=found)

    def act(number: int) -> None:
        if number < 2:
            send_steps()
        else:
            for person in found[number - 2 :: 2]:
                unsubscribe(subscriber=person)

    together(act, 4)
    assert set(Enrolment.objects.values_list("state", flat=True)) == {"stopped"}
    before = len(written())
    wait(days=9)
    assert send_steps() == 0
    assert len(written()) == before


def test_many_enrol_one_person_at_once() -> None:
    sequence, subscriber = make_sequence(), make_subscriber()
    together(lambda _: enrol(sequence=sequence, subscriber=subscriber), 8)
    assert Enrolment.objects.count() == 1
    assert send_steps() == 1


def test_many_subscribe_the_same_people_at_once() -> None:
    make_sequence(trigger="subscribed")
    addresses = [f"person{number}@example.com" for number in range(20)]

    def subscribe(number: int) -> None:
        for address in addresses if number % 2 else reversed(addresses):
            upsert_subscriber(values={"email": address}, source="api")

    together(subscribe, 6)
    assert Enrolment.objects.count() == 20
    assert send_steps() == 20


def test_a_sequence_is_changed_and_paused_while_it_is_sent() -> None:
    sequence = make_sequence()
    enrol_all(sequence=sequence, subscribers=people())
    first, _, third = as_rows(sequence)

    def act(number: int) -> None:
        if number < 2:
            send_steps()
        elif number == 2:
            change_steps(sequence, first, third)
        else:
            switch_sequence(sequence=sequence, enabled=False)
            switch_sequence(sequence=sequence, enabled=True)

    together(act, 4)
    for _ in range(4):
        wait(days=3)
        send_steps()
    assert max(Counter(written()).values()) == 1
    assert set(Enrolment.objects.values_list("state", flat=True)) == {"finished"}
    assert {len(each) for each in Enrolment.objects.values_list("sent", flat=True)} == {2}
