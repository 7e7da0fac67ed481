"""Many callers capture the same people at once: each becomes one contact, with one event."""

import json
import random
import threading

import pytest
from django.db import IntegrityError, connection
from django.utils import timezone

from cms_api.flags.services import switch_feature
from cms_api.webhooks.models import OutboxEvent
from commerce.crm.models import Company, Contact
from commerce.crm.services.contacts import upsert_contacts
from tests.builders import make_endpoint, make_token
from tests.client import Api, together
from tests.figures import figure

from .records import be_patient

pytestmark = pytest.mark.django_db(transaction=True)

CALLERS = 20
ADDRESSES = [f"guest{number}@example.com" for number in range(figure(5, 100))]


def in_some_case(address: str, chance: random.Random) -> str:
    return "".join(chance.choice((letter.lower(), letter.upper())) for letter in address)


@pytest.fixture(autouse=True)
def everything_told() -> None:
    switch_feature(name="webhooks", on=True)
    make_endpoint("*")


def test_twenty_callers_capture_the_same_people(api_on: None) -> None:
    token = make_token("crm:write")

    def capture(number: int) -> list[int]:
        chance, api = random.Random(number), Api(token, validate=False)

        def post(values: dict[str, str]) -> int:
            be_patient()
            status: int = api.post("/crm/contacts", values).status_code
            # As a server does after each request: there are fewer connections in the pool than callers.
            connection.close()
            return status

        mine = chance.sample(ADDRESSES, len(ADDRESSES))
        sent = [{"email": in_some_case(address, chance), "company": in_some_case("Reyes Ceramics", chance)} for address in mine]
        return [post(each) for each in sent]

    outcomes = [status for statuses in together(capture, CALLERS) for status in statuses]
    assert (outcomes.count(201), outcomes.count(200)) == (len(ADDRESSES), 19 * len(ADDRESSES))
    assert sorted(Contact.objects.values_list("email", flat=True)) == sorted(ADDRESSES)
    created = OutboxEvent.objects.filter(kind="crm.contact.created")
    assert sorted(json.loads(bytes(event.payload))["email"] for event in created) == sorted(ADDRESSES)
    assert not OutboxEvent.objects.exclude(kind="crm.contact.created").exists()
    assert Company.objects.count() == 1


def test_twenty_callers_import_the_same_people_in_parts() -> None:
    def capture(number: int) -> int:
        be_patient()
        chance = random.Random(number)
        mine = chance.sample(ADDRESSES, len(ADDRESSES))
        parts = [mine[start : start + 25] for start in range(0, len(mine), 25)]
        rows = [[{"email": address, "company": chance.choice(("Reyes", "Vale", "Orr"))} for address in part] for part in parts]
        return sum(outcome.created for part in rows for outcome in upsert_contacts(rows=part, source="import"))

    assert sum(together(capture, CALLERS)) == len(ADDRESSES)
    assert sorted(Contact.objects.values_list("email", flat=True)) == sorted(ADDRESSES)
    assert OutboxEvent.objects.filter(kind="crm.contact.created").count() == len(ADDRESSES)
    assert Company.objects.count() == 3


def test_control_looking_before_writing_loses_the_race() -> None:
    """Callers without the database's help: all find nobody, and all but one are refused."""
    looked = threading.Barrier(8)

    def capture(number: int) -> int:
        be_patient()
        now = timezone.now()
        assert not Contact.objects.filter(email=ADDRESSES[0]).exists()
        looked.wait(20)
        try:
            Contact.objects.create(email=ADDRESSES[0], created_at=now, updated_at=now)
        except IntegrityError:
            return 1
        return 0

    assert sum(together(capture, 8)) == 7
