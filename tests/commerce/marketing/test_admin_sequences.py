"""Sequences and mailing lists in the admin: put together, started and paused, previewed, and counted."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cms_api.mail.models import OutgoingMail
from commerce.marketing.models import Enrolment, MailingList, Sequence
from commerce.marketing.services import unsubscribe
from commerce.marketing.services.sending import send_steps
from commerce.marketing.types import Status
from tests import people

from .conftest import mails, make_list, make_subscriber
from .sequences import as_rows, enrolled, make_sequence, subjects, wait

pytestmark = pytest.mark.django_db

LIST = "/admin/marketing/sequences/"
LISTS = "/admin/marketing/lists/"


def page(client: Client, path: str = LIST) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, (path, answer.status_code)
    return answer.content.decode()


def step(text: str, **changes: Any) -> dict[str, Any]:
    """A step as the rich text editor sends it."""
    block = {"key": "a", "text": text, "type": "unstyled", "depth": 0, "inlineStyleRanges": [], "entityRanges": []}
    body = json.dumps({"entityMap": {}, "blocks": [block]})
    return {"delay": 1, "unit": "days", "subject": f"About {text}", "body": body, **changes}


def sent(*steps: dict[str, Any], initial: int = 0, **changes: Any) -> dict[str, Any]:
    """The form data of the sequence editor."""
    rows: dict[str, Any] = {"steps-TOTAL_FORMS": len(steps), "steps-INITIAL_FORMS": initial}
    for number, row in enumerate(steps):
        rows |= {f"steps-{number}-{name}": value for name, value in {"ORDER": number + 1, "id": "", **row}.items()}
    return {"name": "Welcome", "slug": "", "trigger": "manual", "tag": "", **rows, **changes}


def test_it_works(admin_client: Client) -> None:
    assert "{{ greeting }}" in page(admin_client, f"{LIST}new/")
    two = sent(step("clay", ORDER=2), step("{{ first_name }}", ORDER=1, delay=0), trigger="tagged", tag=" clay ")
    answer = admin_client.post(f"{LIST}new/", two)
    made = Sequence.objects.get()
    assert answer.headers["Location"] == f"{LIST}inspect/{made.pk}/"
    assert (made.slug, made.tag, made.enabled) == ("welcome", "clay", False)
    assert [(each.delay, each.subject, each.position) for each in made.steps.all()] == [
        (0, "About {{ first_name }}", 1),
        (1, "About clay", 2),
    ]
    found = page(admin_client, f"{LIST}inspect/{made.pk}/")
    for said in ("Paused", "With the tag “clay”", "Immediately", "1 day after the previous step", "Nobody is enrolled yet."):
        assert said in found, said
    assert "Welcome" in page(admin_client)


def test_steps_are_changed_moved_and_deleted_where_they_are(admin_client: Client) -> None:
    sequence = make_sequence()
    waiting = enrolled(sequence, make_subscriber())
    send_steps()
    first, second, third = as_rows(sequence)
    rows = [
        step("one", id=first["id"], DELETE="on"),
        step("two", id=second["id"], ORDER=3),
        step("three", id=third["id"], ORDER=2),
        step("four", ORDER=4),
    ]
    admin_client.post(f"{LIST}edit/{sequence.pk}/", sent(*rows, initial=3, name="Hello", slug="other"))
    sequence.refresh_from_db()
    assert (sequence.name, sequence.slug) == ("Hello", "welcome")
    found = list(Sequence.objects.get().steps.order_by("position").values_list("pk", "subject"))
    assert found[:2] == [(third["id"], "About three"), (second["id"], "About two")]
    assert found[2][1] == "About four"
    waiting.refresh_from_db()
    assert waiting.next_step_id == second["id"]
    wait(days=1)
    send_steps()
    assert subjects()[-1] == "About two"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (sent(step("x"), name=""), "This field is required."),
        (sent(step("x"), slug="taken"), "The slug has already been taken."),
        (sent(), "Please submit at least 1 form."),
        (sent(step("x"), step("y", subject="{{ nobody }}")), "Unknown placeholder: {{ nobody }}."),
        (sent(step("x", delay="-1")), "error-message"),
        (sent(step("x", delay="1000")), "may be at most 730 days"),
    ],
)
def test_what_is_wrong_stands_at_its_field(admin_client: Client, wrong: dict[str, Any], said: str) -> None:
    make_sequence(name="Taken")
    answer = admin_client.post(f"{LIST}new/", wrong)
    assert answer.status_code == 200
    assert said in answer.content.decode()
    assert Sequence.objects.count() == 1


def test_starting_and_pausing(admin_client: Client) -> None:
    sequence = make_sequence(enabled=False)
    where = f"{LIST}inspect/{sequence.pk}/"
    assert f'action="{LIST}start/{sequence.pk}/"' in page(admin_client, where)
    assert admin_client.post(f"{LIST}start/{sequence.pk}/").headers["Location"] == where
    sequence.refresh_from_db()
    assert sequence.enabled
    assert f'action="{LIST}pause/{sequence.pk}/"' in page(admin_client, where)
    assert admin_client.get(f"{LIST}pause/{sequence.pk}/").status_code == 302
    admin_client.post(f"{LIST}pause/{sequence.pk}/")
    again = admin_client.post(f"{LIST}pause/{sequence.pk}/", follow=True)
    assert "No change: this was already done." in again.content.decode()
    sequence.refresh_from_db()
    assert not sequence.enabled


def test_a_step_is_previewed_and_sent_to_oneself(sign_in: Callable[[Any], Client]) -> None:
    alice = people.alice()
    alice.first_name = "Alice"
    alice.save()
    client = sign_in(alice)
    first = make_sequence(enabled=False).steps.order_by("position").first()
    found = page(client, f"{LIST}steps/{first.pk}/")
    assert "First, Alice" in found
    assert "Hello Alice!" in found
    assert "sandbox" in found
    assert not mails()
    answer = client.post(f"{LIST}steps/{first.pk}/test/", follow=True)
    assert "on its way to alice@example.com" in answer.content.decode()
    assert [(mail.recipient, mail.subject) for mail in mails()] == [("alice@example.com", "First, Alice")]
    alice.email = ""
    alice.save()
    assert client.post(f"{LIST}steps/{first.pk}/test/", follow=True).status_code == 200
    assert len(mails()) == 1
    assert client.get(f"{LIST}steps/99999/").status_code == 404


@pytest.mark.both_databases
def test_people_are_counted_by_state(admin_client: Client) -> None:
    sequence = make_sequence({"delay": 0, "unit": "days", "subject": "Only", "body": "<p>x</p>"})
    for name, status in (("a", Status.ACTIVE), ("b", Status.ACTIVE), ("c", Status.ACTIVE)):
        enrolled(sequence, make_subscriber(f"{name}@example.com", status=status))
    unsubscribe(subscriber=Enrolment.objects.get(subscriber__email="a@example.com").subscriber)
    assert "2 active, 0 finished, 1 stopped" in page(admin_client, f"{LIST}inspect/{sequence.pk}/")
    send_steps()
    found = page(admin_client, f"{LIST}inspect/{sequence.pk}/")
    assert "0 active, 2 finished, 1 stopped" in found
    assert "b@example.com" in found


@pytest.mark.both_databases
def test_lists_take_a_constant_number_of_statements(admin_client: Client) -> None:
    found = []
    for number in (1, 4):
        for each in range(number):
            sequence = make_sequence(name=f"S {number} {each}")
            enrolled(sequence, make_subscriber(f"{number}.{each}@example.com", tags=[f"L {number} {each}"]))
            make_list(f"L {number} {each}")
        taken = []
        for path in (LIST, LISTS, f"{LIST}inspect/{Sequence.objects.order_by('pk')[0].pk}/"):
            admin_client.get(path)
            with CaptureQueriesContext(connection) as captured:
                admin_client.get(path)
            taken.append(len(captured))
        found.append(taken)
    assert found[0] == found[1]


def test_mailing_lists_say_how_many_are_on_them(admin_client: Client) -> None:
    make_list("Clay", tag="Clay")
    make_list("Paper", tag="paper")
    for number in range(3):
        make_subscriber(f"{number}@example.com", tags=["clay", "CLAY 2"])
    make_subscriber("left@example.com", tags=["clay"], status=Status.UNSUBSCRIBED)
    found = page(admin_client)
    found = page(admin_client, LISTS)
    assert '?tag=Clay&amp;status=active">3</a>' in found
    assert '?tag=paper&amp;status=active">0</a>' in found


def test_mailing_lists_are_made_changed_and_deleted(admin_client: Client) -> None:
    values = {"name": "Clay", "slug": "clay", "description": "", "tag": " clay ", "is_public": "on", "position": "1"}
    admin_client.post(f"{LISTS}new/", values)
    made = MailingList.objects.get()
    assert (made.tag, made.is_public) == ("clay", True)
    for wrong in (
        {"tag": "CLAY", "slug": "b"},
        {"slug": "b", "tag": "a,b"},
        {"tag": "b"},
        {"tag": "", "slug": "b"},
        {"position": "-1"},
    ):
        assert admin_client.post(f"{LISTS}new/", {**values, **wrong}).status_code == 200
    assert MailingList.objects.count() == 1
    admin_client.post(f"{LISTS}edit/{made.pk}/", {**values, "name": "Pottery", "is_public": ""})
    made.refresh_from_db()
    assert (made.name, made.is_public) == ("Pottery", False)
    subscriber = make_subscriber(tags=["clay"])
    admin_client.post(f"{LISTS}delete/{made.pk}/")
    subscriber.refresh_from_db()
    assert (MailingList.objects.count(), subscriber.tags) == (0, ["clay"])


def paths() -> list[str]:
    sequence = make_sequence(enabled=False)
    first = sequence.steps.order_by("position").first()
    own = [f"{word}/{sequence.pk}/" for word in ("inspect", "edit", "delete", "start", "history")]
    return [LISTS, f"{LISTS}new/", *(LIST + each for each in ("", "new/", *own, f"steps/{first.pk}/", f"steps/{first.pk}/test/"))]


def test_editors_and_strangers_may_not(sign_in: Callable[[Any], Client]) -> None:
    found = paths()
    for client in (Client(), sign_in(people.bob()), sign_in(people.charlie())):
        for path in found:
            assert client.get(path).status_code in {302, 403}, path
            assert client.post(path).status_code in {302, 403}, path
    assert Sequence.objects.filter(enabled=False).count() == 1
    assert not OutgoingMail.objects.exists()


def test_managers_may_all(sign_in: Callable[[Any], Client]) -> None:
    client = sign_in(people.mallory_manager())
    for path in paths():
        assert client.get(path).status_code in {200, 302}, path
    client.post(f"{LIST}new/", sent(step("x"), name="Second"))
    made = Sequence.objects.get(name="Second")
    client.post(f"{LIST}start/{made.pk}/")
    made.refresh_from_db()
    assert made.enabled
    client.post(f"{LIST}delete/{made.pk}/")
    assert not Sequence.objects.filter(name="Second").exists()
