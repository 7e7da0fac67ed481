"""Contacts from somebody who wants the service to break: refused as 4xx, or kept as they are, and never a 500."""

import json
from typing import Any

import pytest

from commerce.common.resources import TagsInput
from commerce.common.types import MAX_TAGS, email_key, read_email
from commerce.crm.models import Contact
from tests.client import Api

LINES = ("first_name", "last_name", "phone", "job_title", "company", "street", "city", "postal_code", "country", "source")
TEXTS = (*LINES, "notes")


def refused_keys(crm_api: Api, **values: Any) -> set[str]:
    """The keys that an answer refuses."""
    refused = crm_api.post("/crm/contacts", {"email": "dana@example.com", **values})
    assert refused.status_code == 422, values
    assert not Contact.objects.exists()
    return {path.partition(".")[0] for path in refused.json()["errors"]}


@pytest.mark.parametrize("value", [7, 1.5, True, [], ["a"], {}, {"a": 1}, 10**15])
def test_other_than_text(crm_api: Api, value: Any) -> None:
    assert refused_keys(crm_api, **dict.fromkeys([*TEXTS, "email"], value)) == {*TEXTS, "email"}


def test_other_than_tags_ids_and_lifecycles(crm_api: Api) -> None:
    tags: list[Any] = ["a", 7, True, {"a": "b"}, [7], [None], [["a"]], [{}], [""], ["a" * 51], ["a"] * 51, ["a\x07"]]
    ids: list[Any] = ["1", True, 0, -1, 1.5, 2**63, [], {}]
    lifecycles: list[Any] = [7, True, "gone", "Lead", [], ["lead"], {}]
    for key, values in {"tags": tags, "assigned_to": ids, "lifecycle": lifecycles}.items():
        for value in values:
            assert refused_keys(crm_api, **{key: value}) == {key}, value


def test_what_is_no_address(crm_api: Api) -> None:
    for address in (
        "",
        " ",
        None,
        "dana",
        "@example.com",
        "dana@",
        "dana@example",
        "dana@@example.com",
        "dana reyes@example.com",
        "dana@exam ple.com",
        "dana@example.com\nBcc: x@example.com",
        "dana\r@example.com",
        "Dana <dana@example.com>",
        "dana@example.com,otto@example.com",
        "ünal@example.com",
        "\u0130x@example.com",
        "\u0131do@example.com",
        "\u017fam@example.com",
        "\u212aim@example.com",
        "da\u200bna@example.com",
        "\u202edana@example.com",
        "dana@exa\u200bmple",
        "😀@example.com",
        "a" * 250 + "@example.com",
        "a" * 3_000 + "@" + "ü" * 300_000 + ".de",
        "dana@" + "xn--" * 60 + ".com",
    ):
        assert refused_keys(crm_api, email=address) == {"email"}, address


@pytest.mark.parametrize(
    "spellings",
    [
        ("dana@example.com", "DANA@EXAMPLE.COM", " Dana@Example.com\t", "dana@\uff45xample.com"),
        ("dana@münchen.de", "DANA@MÜNCHEN.DE", "dana@mu\u0308nchen.de", "dana@xn--mnchen-3ya.de", "dana@XN--MNCHEN-3YA.DE"),
        ("dana@straße.de", "dana@STRA\u1e9eE.de", "dana@xn--strae-oqa.de"),
        ("dana@\u0131stanbul.com.tr", "dana@xn--stanbul-qfb.com.tr"),
        ("dana@i\u0307stanbul.com.tr", "DANA@\u0130STANBUL.com.tr"),
        ("o'hara+news@example.com", "O'Hara+News@Example.com"),
    ],
)
@pytest.mark.both_databases
def test_one_address_in_many_spellings_is_one_contact(crm_api: Api, spellings: tuple[str, ...]) -> None:
    answers = [crm_api.post("/crm/contacts", {"email": spelling}) for spelling in spellings]
    assert [answer.status_code for answer in answers] == [201] + [200] * (len(spellings) - 1)
    assert {answer.json()["data"]["email"] for answer in answers} == {spellings[0]}
    for spelling in spellings:
        assert len(crm_api.data("/crm/contacts", email=spelling)) == 1
        assert crm_api.patch(f"/crm/contacts/{Contact.objects.get().pk}", {"email": spelling}).status_code == 200


@pytest.mark.both_databases
def test_domains_that_an_older_standard_took_for_one_are_two(crm_api: Api) -> None:
    for one, other in (("dana@strasse.de", "dana@straße.de"), ("dana@βόλος.com", "dana@βόλοσ.com")):
        assert [crm_api.post("/crm/contacts", {"email": each}).status_code for each in (one, other)] == [201, 201]
        assert [each["email"] for each in crm_api.data("/crm/contacts", email=other)] == [other]


@pytest.mark.parametrize("spelling", ["Dana@Example.com", "dana@MÜNCHEN.de", "dana@xn--strae-oqa.de", "dana@\u0130x.com"])
def test_the_spelling_of_an_address_is_its_own(spelling: str) -> None:
    assert read_email(read_email(spelling)) == read_email(spelling) == email_key(spelling)


@pytest.mark.both_databases
def test_text_of_every_script_is_kept(crm_api: Api) -> None:
    for number, text in enumerate(
        ("😀👩‍👩‍👧", "داناالريّس", "דנה", "李小龙", "İsß", "a\u202eb", "<script>alert(1)</script>", "'; DROP--")
    ):
        made = crm_api.post(
            "/crm/contacts", {"email": f"{number}@example.com", "first_name": text, "notes": text, "tags": [text]}
        )
        assert made.status_code == 201
        found = made.json()["data"]
        assert (found["first_name"], found["notes"], found["tags"]) == (text, text, [text])


def test_a_line_is_one_line(crm_api: Api) -> None:
    sent = dict.fromkeys(LINES, " one\r\n  two\tthree\u2028four ")
    made = crm_api.post("/crm/contacts", {"email": "dana@example.com", **sent})
    assert made.status_code == 201
    for key in LINES:
        value = made.json()["data"][key]
        assert (value["name"] if key == "company" else value) == "one two three four", key


@pytest.mark.parametrize("character", ["\x00", "\x07", "\x1b", "\x7f", "\x85\x9b", "\x08"])
def test_control_characters_in_a_line(crm_api: Api, character: str) -> None:
    assert refused_keys(crm_api, **dict.fromkeys(LINES, f"a{character}b")) == set(LINES)


def test_notes_keep_their_lines(crm_api: Api) -> None:
    made = crm_api.post("/crm/contacts", {"email": "dana@example.com", "notes": "one\ntwo"})
    assert made.json()["data"]["notes"] == "one\ntwo"


LENGTHS = {
    "first_name": 100,
    "last_name": 100,
    "phone": 50,
    "job_title": 200,
    "company": 200,
    "street": 200,
    "street2": 200,
    "city": 100,
    "state": 100,
    "postal_code": 30,
    "country": 100,
    "source": 100,
    "notes": 20_000,
}


@pytest.mark.parametrize("letter", ["a", "é", "😀", "\ufdfa"])
def test_lengths(crm_api: Api, letter: str) -> None:
    lengths = {key: most for key, most in LENGTHS.items() if key != "company" or letter != "😀"}
    for values in (
        {key: letter * (most + 1) for key, most in lengths.items()},
        {"first_name": letter * 100_000},
        {"notes": letter * 100_000},
    ):
        assert refused_keys(crm_api, **values) == values.keys()
    made = crm_api.post("/crm/contacts", {"email": "dana@example.com", **{key: letter * most for key, most in lengths.items()}})
    assert made.status_code == 201, made.content
    for key, most in lengths.items():
        value = made.json()["data"][key]
        assert (value["name"] if key == "company" else value) == letter * most, key


@pytest.mark.both_databases
def test_tags_are_each_once(crm_api: Api) -> None:
    made = crm_api.post("/crm/contacts", {"email": "dana@example.com", "tags": ["One", " one ", "ONE", "two"] + ["two"] * 40})
    assert made.json()["data"]["tags"] == ["One", "two"]
    assert len(TagsInput().run_validation([str(number) for number in range(MAX_TAGS)])) == MAX_TAGS


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"[]", 400),
        (b'{"email": "dana@example.com", "first_name": "\\ud800"}', 400),
        (b'{"email": "dana@example.com", "assigned_to": NaN}', 400),
        (b'{"email": "dana@example.com", "assigned_to": 1e999}', 400),
        (b'{"email": "dana@example.com", "first_name": "\xff"}', 400),
        (b'{"email": "dana@example.com", "first_name": "a\\u0000b"}', 422),
        (b'{"email": "dana@example.com", "x": "\\u0000"}', 422),
        (b'{"email": "dana@example.com", "assigned_to": ' + b"9" * 30 + b"}", 422),
        (json.dumps({"email": "dana@example.com", "notes": "a" * 10_000_000}).encode(), 413),
    ],
    ids=lambda value: str(value)[:40],
)
def test_bodies(crm_api: Api, body: bytes, status: int) -> None:
    assert crm_api.request("POST", "/crm/contacts", body).status_code == status
    assert not Contact.objects.exists()
