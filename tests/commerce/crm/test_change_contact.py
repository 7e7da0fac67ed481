"""PATCH and PUT /crm/contacts/{id}: what is sent is overwritten, null clears, and the address stays."""

import pytest
from django.contrib.auth.models import User

from cms_api.core.not_found import NotFound
from commerce.crm.models import Company, Contact
from commerce.crm.services.contacts import update_contact
from tests.client import Api

from .conftest import Emitted
from .records import make_contact
from .test_upsert_by_api import WHOLE


@pytest.fixture
def path(crm_api: Api) -> str:
    return f"/crm/contacts/{crm_api.post('/crm/contacts', WHOLE).json()['data']['id']}"


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
@pytest.mark.both_databases
def test_it_works(crm_api: Api, path: str, emitted: Emitted, robin: User, method: str) -> None:
    before = crm_api.data(path)
    sent = {"first_name": " Daná ", "lifecycle": "partner", "company": "Vale Works", "tags": ["new", "NEW"], "source": "talk"}
    changed = crm_api.request(method, path, {**sent, "assigned_to": robin.pk, "id": 7, "name": "No", "created_at": "2020-01-01"})
    assert changed.status_code == 200
    found = changed.json()["data"]
    assert found == before | {
        "first_name": "Daná",
        "name": "Daná Reyes",
        "lifecycle": "partner",
        "company": {"id": Company.objects.get(name="Vale Works").pk, "name": "Vale Works"},
        "tags": ["new"],
        "source": "talk",
        "assigned_to": {"id": robin.pk, "name": "Robin Vale"},
        "updated_at": found["updated_at"],
    }
    assert found == crm_api.data(path)
    assert emitted() == [("crm.contact.updated", found)]


def test_null_and_empty_text_clear(crm_api: Api, path: str, robin: User) -> None:
    crm_api.patch(path, {"assigned_to": robin.pk})
    keys = [key for key in WHOLE if key not in {"email", "lifecycle", "tags"}]
    cleared = crm_api.patch(path, {**dict.fromkeys(keys, ""), "assigned_to": None, "tags": None}).json()["data"]
    assert [cleared[key] for key in (*keys, "assigned_to", "name")] == [None] * (len(keys) + 2)
    assert cleared["tags"] == []
    crm_api.patch(path, {"company": "Reyes Ceramics Ltd", "tags": ["one"]})
    cleared = crm_api.patch(path, {"company": None, "tags": []}).json()["data"]
    assert (cleared["company"], cleared["tags"]) == (None, [])


def test_a_change_without_effect_emits_nothing(crm_api: Api, path: str, emitted: Emitted) -> None:
    before = crm_api.data(path)
    for sent in ({}, {"first_name": "Dana"}, {"company": "REYES CERAMICS"}, {"tags": ["weddings", "Ceramics", "ceramics"]}):
        assert crm_api.patch(path, sent).json()["data"] == before
    assert emitted() == []


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
def test_the_address_stays(crm_api: Api, path: str, emitted: Emitted, method: str) -> None:
    make_contact("other@example.com")
    earlier = emitted()
    for other in ("other@example.com", "new@example.com"):
        refused = crm_api.request(method, path, {"email": other, "first_name": "Other"})
        assert refused.status_code == 422
        assert refused.json()["errors"] == {"email": ["The email cannot be changed."]}
    for wrong in ("nobody", 7, []):
        assert set(crm_api.request(method, path, {"email": wrong}).json()["errors"]) == {"email"}
    assert crm_api.data(path)["first_name"] == "Dana"
    same = crm_api.request(method, path, {"email": " DANA.Reyes@example.COM "})
    assert (same.status_code, same.json()["data"]["email"]) == (200, "dana.reyes@example.com")
    assert emitted() == earlier


def test_wrong_lifecycles(crm_api: Api, path: str) -> None:
    for wrong in ("gone", "LEAD", 7, True, [], {}, ["lead"]):
        refused = crm_api.patch(path, {"lifecycle": wrong})
        assert (refused.status_code, set(refused.json()["errors"])) == (422, {"lifecycle"}), wrong


@pytest.mark.both_databases
def test_one_that_is_gone(crm_api: Api, path: str) -> None:
    for unknown in (f"/crm/contacts/{10**12}", f"/crm/contacts/{2**63}", "/crm/contacts/0", "/crm/contacts/٣", "/crm/contacts/x"):
        assert crm_api.request("PATCH", unknown, b"{not json").status_code == 404
        assert crm_api.get(unknown).status_code == 404
    contact = Contact.objects.get()
    Contact.objects.all().delete()
    with pytest.raises(NotFound):
        update_contact(contact=contact, values={"first_name": "Other"})


def test_a_read_that_the_client_holds(crm_api: Api, path: str) -> None:
    tag = crm_api.get(path).headers["ETag"]
    assert crm_api.request("GET", path, if_none_match=tag).status_code == 304
    crm_api.patch(path, {"first_name": "Other"})
    changed = crm_api.request("GET", path, if_none_match=tag)
    assert (changed.status_code, changed.json()["data"]["first_name"]) == (200, "Other")


def test_some_keys(crm_api: Api, path: str) -> None:
    found = crm_api.data(path, fields="email,company")
    assert set(found) == {"id", "email", "company"}
    assert set(crm_api.get(path, fields="email,secret").json()["errors"]) == {"fields"}


@pytest.mark.parametrize("blank", ["", None])
def test_a_blank_clears_what_may_be_empty_and_changes_nothing_else(crm_api: Api, path: str, blank: str | None) -> None:
    before = crm_api.data(path)
    changed = crm_api.patch(path, {"lifecycle": blank, "email": blank, "tags": blank, "first_name": blank}).json()["data"]
    assert (changed["tags"], changed["first_name"]) == ([], None)
    assert (changed["lifecycle"], changed["email"]) == (before["lifecycle"], before["email"])
