"""Rules of assignment: the first that fits and has somebody decides, and its people take turns."""

import threading
from collections import Counter
from typing import Any

import pytest

from cms_api.forms.services.submissions import submit
from cms_api.forms.types import Source
from commerce.crm.models import AssignmentRule, Contact
from commerce.crm.services.contacts import upsert_contacts
from tests import people
from tests.builders import field, make_form
from tests.client import Api, together

from .conftest import Emitted
from .records import be_patient, make_contact, make_rule, team


def whose(contact: Contact) -> int | None:
    return contact.assigned_to.pk if contact.assigned_to else None


@pytest.mark.both_databases
def test_it_works(crm_api: Api, emitted: Emitted) -> None:
    """Turns go on from the API to forms and to many at once."""
    ids = [user.pk for user in team(3)]
    make_rule(*AssignmentRule.assignees.field.related_model.objects.filter(pk__in=ids))
    given = [crm_api.post("/crm/contacts", {"email": f"{n}@example.com"}).json()["data"]["assigned_to"]["id"] for n in range(4)]
    form = make_form(field("email", "email"))
    submit(form=form, data={"email": "form@example.com"}, source=Source.SITE)
    given.append(whose(Contact.objects.get(email="form@example.com")))
    rows = [{"email": f"import{n}@example.com"} for n in range(5)]
    given += [whose(outcome.contact) for outcome in upsert_contacts(rows=rows, source="import")]
    assert given == [ids[n % 3] for n in range(10)]
    assert [payload["assigned_to"]["id"] for _, payload in emitted()] == given


def test_matched_contacts_take_no_turn() -> None:
    first, second = team(2)
    contact = make_contact("dana@example.com")
    make_rule(first, second)
    assert whose(make_contact("dana@example.com", first_name="Dana")) is None
    assert whose(contact) is None
    assert whose(make_contact()) == first.pk


def test_whoever_is_named_takes_no_turn(crm_api: Api) -> None:
    first, second = team(2)
    make_rule(first, second)
    made = crm_api.post("/crm/contacts", {"email": "dana@example.com", "assigned_to": second.pk}).json()["data"]
    assert made["assigned_to"]["id"] == second.pk
    assert whose(make_contact()) == first.pk


def test_rules_for_countries_and_sources() -> None:
    here, there, both, rest = team(4)
    make_rule(rest, position=9)
    make_rule(here, countries=["US", "Côte d’Ivoire"], position=2)
    make_rule(there, sources=["Fair"], position=3)
    make_rule(both, countries=["us"], sources=["fair"], position=1)
    make_rule(rest, enabled=False, position=0)
    assert whose(make_contact(country="us ")) == here.pk
    assert whose(make_contact(country="COTE D’IVOIRE")) == here.pk
    assert whose(make_contact(source="FAIR")) == there.pk
    assert whose(make_contact(source="fair", country="US")) == both.pk
    assert whose(make_contact(country="FR")) == rest.pk
    assert whose(make_contact()) == rest.pk


def test_a_rule_for_what_comes_by_forms() -> None:
    (first,) = team(1)
    make_rule(first, sources=["form"])
    form = make_form(field("email", "email"))
    submit(form=form, data={"email": "form@example.com"}, source=Source.SITE)
    assert whose(Contact.objects.get()) == first.pk
    assert whose(make_contact()) is None


def test_people_who_may_not_are_passed_over() -> None:
    first, second, third = team(3)
    outsider = people.charlie()
    make_rule(first, second, third, outsider)
    assert whose(make_contact()) == first.pk
    second.is_active = False
    second.save()
    assert [whose(make_contact()) for _ in range(3)] == [third.pk, first.pk, third.pk]
    second.is_active = True
    second.save()
    assert [whose(make_contact()) for _ in range(3)] == [first.pk, second.pk, third.pk]
    third.groups.clear()
    assert [whose(make_contact()) for _ in range(2)] == [first.pk, second.pk]


def test_a_rule_without_anybody_leaves_it_to_the_next() -> None:
    first, gone = team(2)
    gone.is_active = False
    gone.save()
    make_rule(gone, position=1)
    make_rule(position=2)
    assert whose(make_contact()) is None
    make_rule(first, position=3)
    assert whose(make_contact()) == first.pk


def test_rules_take_turns_by_themselves() -> None:
    first, second = team(2)
    make_rule(first, second, countries=["US"], position=1)
    make_rule(first, second, position=2)
    assert [whose(make_contact(country=country)) for country in ("US", "FR", "US", "FR")] == [
        first.pk,
        first.pk,
        second.pk,
        second.pk,
    ]


@pytest.mark.django_db(transaction=True)
def test_twenty_callers_share_the_turns_evenly() -> None:
    members = team(4)
    make_rule(*members)

    def capture(number: int) -> None:
        be_patient()
        for turn in range(4):
            make_contact(f"{number}-{turn}@example.com")

    together(capture, 20)
    counted = Counter(Contact.objects.values_list("assigned_to", flat=True))
    assert counted == {user.pk: 20 for user in members}


@pytest.mark.django_db(transaction=True)
def test_control_turns_that_are_read_and_then_written_are_not_shared_evenly() -> None:
    members = team(4)
    rule = make_rule(*members)
    ids = [user.pk for user in members]
    given: list[Any] = []

    def take(_: int) -> None:
        seen = AssignmentRule.objects.get(pk=rule.pk).last_assignee_id
        wait.wait(10)
        following = next((pk for pk in ids if pk > seen), ids[0])
        AssignmentRule.objects.filter(pk=rule.pk).update(last_assignee_id=following)
        given.append(following)

    wait = threading.Barrier(8)
    together(take, 8)
    assert max(Counter(given).values()) > 2
