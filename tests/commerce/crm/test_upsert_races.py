"""Many callers capture the same people at once: each is one contact, and is told of once."""

import random

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from cms_api.flags.services import switch_feature
from cms_api.webhooks.models import OutboxEvent
from commerce.crm.models import Company, Contact
from commerce.crm.services import upsert_contact
from tests.builders import make_endpoint
from tests.client import together

pytestmark = pytest.mark.django_db(transaction=True)

CALLERS = 20
ADDRESSES = [f"guest{number}@example.com" for number in range(100)]


def in_some_case(address: str, chance: random.Random) -> str:
    return "".join(chance.choice((letter.lower(), letter.upper())) for letter in address)


@pytest.fixture(autouse=True)
def told() -> None:
    switch_feature(name="webhooks", on=True)
    make_endpoint("*")


def test_twenty_callers_capture_a_hundred_people() -> None:
    def capture(number: int) -> list[bool]:
        chance = random.Random(number)
        mine = chance.sample(ADDRESSES, len(ADDRESSES))
        values = [{"email": in_some_case(address, chance).lower(), "company": "Reyes Ceramics"} for address in mine]
        return [upsert_contact(values=each, source="api").created for each in values]

    outcomes = together(capture, CALLERS)
    assert sum(map(sum, outcomes)) == 100
    assert sorted(Contact.objects.values_list("email", flat=True)) == sorted(ADDRESSES)
    assert OutboxEvent.objects.filter(kind="crm.contact.created").count() == 100
    assert Company.objects.count() == 1


def test_control_looking_before_writing_loses_the_race() -> None:
    """The same callers without the database's help: the race is real."""

    def capture(number: int) -> int:
        refused = 0
        for address in ADDRESSES:
            now = timezone.now()
            seen = Contact.objects.filter(email=address).exists()
            try:
                with transaction.atomic():
                    if not seen:
                        Contact.objects.create(email=address, created_at=now, updated_at=now)
            except IntegrityError:
                refused += 1
        return refused

    assert sum(together(capture, CALLERS)) > 0
