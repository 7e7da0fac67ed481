"""POST /crm/contacts: a new contact, or the one who has the address, of whom only blanks are filled in."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from commerce.crm.models import Company, Contact
from tests import people
from tests.builders import make_token
from tests.client import Api

from .conftest import Emitted

WHOLE = {
    "email": "dana.reyes@example.com",
    "first_name": "Dana",
    "last_name": "Reyes",
    "phone": "+1 802 555 0142",
    "job_title": "Owner",
    "company": "Reyes Ceramics, Inc.",
    "lifecycle": "customer",
    "street": "14 Canal Street",
    "street2": "Back door",
    "city": "Brattleboro",
    "state": "VT",
    "postal_code": "05301",
    "country": "US",
    "tags": ["weddings", "Ceramics"],
    "notes": "Rings twice.\nLikes blue.",
    "source": "fair",
}


@pytest.mark.both_databases
def test_it_works(crm_api: Api, robin: User, emitted: Emitted) -> None:
    made = crm_api.post("/crm/contacts", {**WHOLE, "email": " Dana.Reyes@Example.COM ", "assigned_to": robin.pk})
    assert made.status_code == 201
    contact = made.json()["data"]
    company = Company.objects.get()
    assert contact == {
        **WHOLE,
        "id": contact["id"],
        "name": "Dana Reyes",
        "company": {"id": company.pk, "name": "Reyes Ceramics, Inc."},
        "assigned_to": {"id": robin.pk, "name": "Robin Vale"},
        "last_activity_at": None,
        "created_at": contact["created_at"],
        "updated_at": contact["created_at"],
    }
    assert contact == crm_api.data(f"/crm/contacts/{contact['id']}")
    assert emitted() == [("crm.contact.created", contact)]


def test_matched_ones_get_what_is_blank_and_nothing_else(crm_api: Api, emitted: Emitted) -> None:
    made = crm_api.post("/crm/contacts", {"email": "dana@example.com", "first_name": "Dana", "tags": ["one"]})
    other = {"email": "DANA@example.COM", "first_name": "Other", "last_name": "Reyes", "tags": ["two"], "source": "fair"}
    matched = crm_api.post("/crm/contacts", {**other, "lifecycle": "customer"})
    assert (made.status_code, matched.status_code) == (201, 200)
    found = matched.json()["data"]
    assert (found["id"], found["name"], found["tags"]) == (made.json()["data"]["id"], "Dana Reyes", ["one"])
    assert (found["lifecycle"], found["source"]) == ("lead", "api")
    assert emitted()[1:] == [("crm.contact.updated", found)]
    assert found == crm_api.data(f"/crm/contacts/{found['id']}")


def test_a_change_without_effect_emits_nothing(crm_api: Api, emitted: Emitted) -> None:
    first = crm_api.post("/crm/contacts", WHOLE).json()["data"]
    for sent in (WHOLE, {"email": WHOLE["email"]}, {**WHOLE, "first_name": "Other", "notes": "Other"}):
        again = crm_api.post("/crm/contacts", sent)
        assert (again.status_code, again.json()["data"]) == (200, first)
    assert [kind for kind, _ in emitted()] == ["crm.contact.created"]


def test_nothing_but_an_address_is_enough(crm_api: Api) -> None:
    blank: dict[str, Any] = {key: None for key in WHOLE if key not in {"email", "lifecycle"}}
    for number, sent in enumerate((blank, dict.fromkeys(blank, ""), {"tags": []}, {"assigned_to": None}, {"unknown": 7})):
        made = crm_api.post("/crm/contacts", {**sent, "email": f"{number}@example.com", "tags": sent.get("tags") or None})
        assert made.status_code == 201, made.content
        found = made.json()["data"]
        assert (found["lifecycle"], found["source"], found["tags"]) == ("lead", "api", [])
        assert [found[key] for key in ("name", "first_name", "company", "assigned_to", "notes")] == [None] * 5
        assert "unknown" not in found


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Reyes Ceramics, Inc.", "reyes ceramics GmbH"),
        ("Reyes Ceramics", "REYES   CERAMICS."),
        ("Réyes Céramics S.A.", "Reyes Ceramics Ltd."),
        ("Straße AG", "STRASSE"),
        ("Foo A/S", "foo"),
        ("Foo S.p.A.", "FOO Co., Ltd."),
        ("Reyes-Ceramics", "“Reyes Ceramics”"),
        ("Foo GmbH & Co. KG", "Foo"),
    ],
)
@pytest.mark.both_databases
def test_one_company_in_two_spellings(crm_api: Api, first: str, second: str) -> None:
    for number, name in enumerate((first, second)):
        made = crm_api.post("/crm/contacts", {"email": f"{number}@example.com", "company": name})
        assert made.json()["data"]["company"]["name"] == first
    assert Company.objects.count() == 1


def test_other_companies(crm_api: Api) -> None:
    names = ["Reyes Ceramics", "Reyes", "Ceramics Reyes", "Inc.", "Limited", "AB", "株式会社", "amazon.com", "H&M", "HM", "R+R"]
    for number, name in enumerate(names):
        made = crm_api.post("/crm/contacts", {"email": f"{number}@example.com", "company": name})
        assert made.json()["data"]["company"]["name"] == name
    assert Company.objects.count() == len(names)


@pytest.mark.parametrize("name", ["!!!", "...", "-", "🎉", "\u202e", " / "])
def test_a_company_without_a_name(crm_api: Api, name: str) -> None:
    refused = crm_api.post("/crm/contacts", {"email": "dana@example.com", "company": name})
    assert refused.status_code == 422
    assert refused.json()["errors"] == {"company": ["The company must have letters or digits."]}
    assert not Company.objects.exists()


def test_who_may_look_after_contacts(crm_api: Api, robin: User) -> None:
    people.bob()
    gone = people.alice()
    gone.is_active = False
    gone.save()
    stranger = people.charlie()
    for number in (stranger.pk, gone.pk, 987654321, 2**31, 2**62, 2**63 - 1):
        refused = crm_api.post("/crm/contacts", {"email": "dana@example.com", "company": "Reyes", "assigned_to": number})
        assert refused.status_code == 422, number
        assert refused.json()["errors"] == {"assigned_to": ["The selected assigned to is invalid."]}
    assert (Contact.objects.count(), Company.objects.count()) == (0, 0)
    assert crm_api.post("/crm/contacts", {"email": "dana@example.com", "assigned_to": robin.pk}).status_code == 201


@pytest.mark.both_databases
def test_a_repeat_with_the_same_key_has_no_second_effect(crm_api: Api, emitted: Emitted) -> None:
    first = crm_api.post("/crm/contacts", WHOLE, idempotency_key="one")
    again = crm_api.post("/crm/contacts", WHOLE, idempotency_key="one")
    assert (again.status_code, again.content) == (201, first.content)
    assert again.headers["Idempotency-Replayed"] == "true"
    refused = crm_api.post("/crm/contacts", {**WHOLE, "first_name": "Other"}, idempotency_key="one")
    assert set(refused.json()["errors"]) == {"idempotency_key"}
    assert len(emitted()) == 1


def test_abilities(crm_api: Api) -> None:
    contact = crm_api.post("/crm/contacts", WHOLE).json()["data"]["id"]
    reader, writer = Api(make_token("crm:read")), Api(make_token("crm:write"))
    for answer, ability in (
        (reader.post("/crm/contacts", WHOLE), "crm:write"),
        (reader.patch(f"/crm/contacts/{contact}", {}), "crm:write"),
        (reader.put(f"/crm/contacts/{contact}", {}), "crm:write"),
        (writer.get("/crm/contacts"), "crm:read"),
        (writer.get(f"/crm/contacts/{contact}"), "crm:read"),
    ):
        assert (answer.status_code, answer.json()["required_ability"]) == (403, ability)
    assert reader.get(f"/crm/contacts/{contact}").status_code == 200
    assert writer.post("/crm/contacts", WHOLE).status_code == 200


@pytest.mark.both_databases
def test_contacts_are_not_deleted_over_the_api(crm_api: Api) -> None:
    contact = crm_api.post("/crm/contacts", WHOLE).json()["data"]["id"]
    refused = crm_api.delete(f"/crm/contacts/{contact}")
    assert refused.status_code == 405
    assert Contact.objects.count() == 1
