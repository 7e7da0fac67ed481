"""GET /crm/contacts: found by words, address and lifecycle, in an order, by pages and by cursors."""

from typing import Any

import pytest

from cms_api.http.searching import SearchListing
from cms_api.text.search import having_words, matching, matching_in_order
from commerce.crm.models import Contact
from commerce.crm.services.bulk import delete_contact
from commerce.crm.services.companies import delete_company, save_company
from commerce.crm.services.contacts import update_contact
from tests.client import Api

from .records import make_contact

pytestmark = pytest.mark.both_databases


@pytest.fixture
def known(db: None) -> dict[str, Contact]:
    return {
        "dana": make_contact(
            "dana.reyes@example.com", first_name="Dana", last_name="Réyes", company="Ceramics Ltd", phone="+1 (802) 555-0142"
        ),
        "otto": make_contact("otto@other.example", first_name="Otto", last_name="Danaher", lifecycle="customer"),
        "mail": make_contact("straße@example.com".replace("ß", "ss")),
    }


def found(api: Api, **query: Any) -> list[str]:
    return [row["email"].partition("@")[0] for row in api.data("/crm/contacts", **query)]


def test_it_works(crm_api: Api, known: dict[str, Contact]) -> None:
    answer = crm_api.get("/crm/contacts").json()
    assert [row["id"] for row in answer["data"]] == [known[name].pk for name in ("mail", "otto", "dana")]
    assert answer["data"][2] == crm_api.data(f"/crm/contacts/{known['dana'].pk}")
    assert (answer["meta"]["total"], answer["meta"]["per_page"]) == (3, 15)


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("dana", {"otto", "dana.reyes"}),
        ("DANA rey", {"dana.reyes"}),
        ("réyes", {"dana.reyes"}),
        ("reyes", {"dana.reyes"}),
        ("ceram", {"dana.reyes"}),
        ("802 555", {"dana.reyes"}),
        ("802555", set()),
        ("1802555", {"dana.reyes"}),
        ("+1 (802) 555-0142", {"dana.reyes"}),
        ("dana.reyes@example.com", {"dana.reyes"}),
        ("example", {"dana.reyes", "otto", "strasse"}),
        ("customer", set()),
        ("eyes", set()),
        ("!!!", set()),
        ("' OR 1=1 --", set()),
        ("%", set()),
    ],
)
def test_search(crm_api: Api, known: dict[str, Contact], words: str, names: set[str]) -> None:
    assert set(found(crm_api, search=words)) == names


def test_what_the_search_knows_follows_every_change(crm_api: Api, known: dict[str, Contact]) -> None:
    dana = known["dana"]
    crm_api.patch(f"/crm/contacts/{dana.pk}", {"first_name": "Mona", "phone": None})
    assert (found(crm_api, search="mona"), found(crm_api, search="1802")) == (["dana.reyes"], [])
    assert dana.company is not None
    save_company(company=dana.company, values={"name": "Glass Works"})
    assert (found(crm_api, search="glass"), found(crm_api, search="ceramics")) == (["dana.reyes"], [])
    delete_company(company=dana.company)
    assert found(crm_api, search="glass") == []
    update_contact(contact=dana, values={"company": "Tin Works"})
    crm_api.post("/crm/contacts", {"email": "otto@other.example", "company": "Tin Works"})
    assert set(found(crm_api, search="tin")) == {"otto", "dana.reyes"}
    delete_contact(contact=dana)
    assert found(crm_api, search="tin") == ["otto"]


def test_filters(crm_api: Api, known: dict[str, Contact]) -> None:
    assert found(crm_api, email=" DANA.Reyes@example.com") == ["dana.reyes"]
    assert found(crm_api, email="dana") == []
    assert found(crm_api, lifecycle="customer") == ["otto"]
    assert found(crm_api, lifecycle="lead", search="example") == ["strasse", "dana.reyes"]
    assert len(found(crm_api, search="", unknown="x")) == 3


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("lifecycle", "gone"),
        ("lifecycle", ""),
        ("email", ""),
        ("lifecycle", "LEAD"),
        ("lifecycle", "\0"),
        ("search", "a" * 201),
        ("search", "a\0b"),
        ("email", "a" * 255),
        ("email", "\0"),
        ("page", "0"),
        ("page", "x"),
        ("per_page", "-1"),
        ("sort", "notes"),
        ("sort", "last_activity_at"),
        ("cursor", "x"),
        ("fields", "password"),
    ],
)
def test_malformed_filters(crm_api: Api, known: dict[str, Contact], name: str, value: str) -> None:
    refused = crm_api.get("/crm/contacts", **{name: value})
    assert (refused.status_code, set(refused.json()["errors"])) == (422, {name})


def test_sort(crm_api: Api, known: dict[str, Contact]) -> None:
    crm_api.patch(f"/crm/contacts/{known['otto'].pk}", {"first_name": "Other"})
    assert found(crm_api, sort="email") == ["dana.reyes", "otto", "strasse"]
    assert found(crm_api, sort="-email") == ["strasse", "otto", "dana.reyes"]
    assert found(crm_api, sort="created_at") == ["dana.reyes", "otto", "strasse"]
    assert found(crm_api, sort="-updated_at") == ["otto", "strasse", "dana.reyes"]
    Contact.objects.update(created_at=known["dana"].created_at)
    assert found(crm_api, sort="created_at") == ["dana.reyes", "otto", "strasse"]


@pytest.mark.parametrize("sort", ["created_at", "-created_at", "updated_at", "-updated_at", "email", "-email"])
def test_cursors_neither_repeat_nor_skip(crm_api: Api, sort: str) -> None:
    for number in range(7):
        make_contact(f"guest{number}@example.com")
    Contact.objects.update(created_at=Contact.objects.earliest("pk").created_at)
    whole = [row["id"] for row in crm_api.data("/crm/contacts", sort=sort, search="guest")]
    read = crm_api.walk("/crm/contacts", sort=sort, search="guest", per_page=2)
    assert read == whole
    assert len(read) == 7


def test_some_keys_and_what_the_client_holds(crm_api: Api, known: dict[str, Contact]) -> None:
    assert [set(row) for row in crm_api.data("/crm/contacts", fields="email")] == [{"id", "email"}] * 3
    tag = crm_api.get("/crm/contacts").headers["ETag"]
    assert crm_api.request("GET", "/crm/contacts", if_none_match=tag).status_code == 304
    make_contact()
    assert crm_api.request("GET", "/crm/contacts", if_none_match=tag).status_code == 200


@pytest.mark.parametrize("way", [matching, matching_in_order, having_words, None])
def test_words_that_many_have(crm_api: Api, monkeypatch: pytest.MonkeyPatch, way: Any) -> None:
    """Page by page, after cursors, and in every order, in whatever way contacts are found."""
    # Other tests compare answers with the document.
    crm_api.validate = False
    for number in range(24):
        name = {"first_name": "Even" if number % 2 else "Odd", "last_name": "Réyes" if number < 9 else ""}
        make_contact(f"guest{number}.{'b_c' if number % 5 else 'bc'}@example.com", **name)
    if way:
        monkeypatch.setattr(SearchListing, "choose_way", lambda listing, stop: way)
    for words in ("example", "b_c", "guest", "even", "gu ex", "guest7", "nothing", "réyes", "e", "!!!"):
        check_search(crm_api, words)


def check_search(crm_api: Api, words: str) -> None:
    expected = {
        sort: list(matching(Contact.objects.all(), words).order_by(sort, sort.replace("email", "id").replace("created_at", "id")))
        for sort in ("-created_at", "email")
    }
    for sort, contacts in expected.items():
        ids = [contact.pk for contact in contacts]
        for page in range(1, len(ids) // 5 + 3):
            answer = crm_api.get("/crm/contacts", search=words, sort=sort, per_page=5, page=page).json()
            found_ids, total = [row["id"] for row in answer["data"]], answer["meta"]["total"]
            assert (found_ids, total) == (ids[5 * page - 5 : 5 * page], len(ids)), words
        assert crm_api.walk("/crm/contacts", search=words, sort=sort, per_page=5) == ids, words
    filtered = crm_api.get("/crm/contacts", search=words, lifecycle="customer").json()
    assert (filtered["data"], filtered["meta"]["total"]) == ([], 0)
