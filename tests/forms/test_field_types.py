"""The values that each type of field accepts, over the API and on the site alike."""

from typing import Any

import pytest
from django.test import Client

from cms_api.forms.models import Submission
from cms_api.forms.types import TYPES
from tests.builders import field, make_form
from tests.client import Api

from .visitor import fill_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_budgets")]

OPTIONS = ["red", "green", "1"]

#: Sent values with the stored ones.
GOOD: dict[str, list[tuple[Any, Any]]] = {
    "text": [("a", "a"), ("  a b ", "a b"), ("", None), (None, None), ("a" * 255, "a" * 255), ("日本 😀", "日本 😀")],
    "textarea": [("a\r\nb", "a\nb"), ("a" * 20_000, "a" * 20_000), (" ", None)],
    "email": [("a@example.com", "a@example.com"), (" A@Example.com ", "A@Example.com"), ("", None)],
    "phone": [("+1 (555) 010-0100 ext 5", "+1 (555) 010-0100 ext 5"), ("110", "110")],
    "number": [(0, 0), ("0", 0), (4.5, 4.5), ("-4.5", -4.5), (" 12 ", 12), ("", None), (2**63 - 1, 2**63 - 1)],
    "url": [("https://example.com/a?b=c#d", "https://example.com/a?b=c#d"), ("HTTP://example.com", "http://example.com")],
    "date": [("2026-03-01", "2026-03-01"), ("2028-02-29", "2028-02-29"), ("", None)],
    "select": [("red", "red"), (" 1 ", "1"), ("", None), (None, None)],
    "radio": [("green", "green"), ("", None)],
    "checkbox": [("1", True), ("true", True), ("0", False), ("", False), (None, False)],
    "checkboxes": [(["red"], ["red"]), (["green", "red", "green"], ["green", "red"]), ([], [])],
    "hidden": [("spring", "spring"), ("a" * 1000, "a" * 1000)],
}

BAD: dict[str, list[Any]] = {
    "text": [7, True, ["a"], {"a": 1}, "a\nb", "a" * 256],
    "textarea": [7, False, ["a"], {}, "a" * 20_001],
    "email": [
        "nobody",
        "a@b",
        "a b@example.com",
        "a@example.com, b@example.com",
        "a@example.com\nBcc: b@example.com",
        7,
        ["a@example.com"],
    ],
    "phone": ["call me", "+", "1" * 51, 110, "110\n111"],
    "number": ["x", "1e400", "NaN", "٣", "1,5", True, [1], {}, 2**63, "9" * 50, 1e19, -1e300],
    "url": ["example.com", "javascript:alert(1)", "ftp://example.com", "https://user:pw@example.com", "https:// example.com", 7],
    "date": ["01.03.2026", "2026-02-30", "2026-3-1", "20260301", "tomorrow", 20260301, "0000-01-01", "2026-03-01T00:00:00Z"],
    "select": ["blue", "RED", 1, True, ["red"], {"red": 1}],
    "radio": ["blue", 1, ["green"], {}],
    "checkbox": ["maybe", 7, ["1"], {}],
    "checkboxes": [["blue"], "red", [["red"]], [1], {"0": "red"}, ["red"] * 501],
    "hidden": [7, ["a"], {}, "a" * 1001],
}

#: A browser sends texts only, or nothing.
PLAIN = (str, type(None))


def asked(kind: str, **more: Any) -> dict[str, Any]:
    options = {"options": OPTIONS} if kind in ("select", "radio", "checkboxes") else {}
    return field("asked", kind, **options, **more)


def send(api: Api, form: Any, value: Any) -> Any:
    return api.post(f"/forms/{form.pk}/submissions", {"data": {"asked": value}})


def test_it_works() -> None:
    assert set(GOOD) == set(BAD) == set(TYPES) - {"file"}


@pytest.mark.parametrize(("kind", "sent", "kept"), [(kind, *pair) for kind, pairs in GOOD.items() for pair in pairs], ids=repr)
def test_good_values_by_api(api: Api, kind: str, sent: Any, kept: Any) -> None:
    answer = send(api, make_form(asked(kind)), sent)
    assert answer.status_code == 201, answer.content
    assert answer.json()["data"]["data"] == {"asked": kept}


@pytest.mark.parametrize(("kind", "sent", "kept"), [(kind, *pair) for kind, pairs in GOOD.items() for pair in pairs], ids=repr)
def test_good_values_on_the_site(client: Client, kind: str, sent: Any, kept: Any) -> None:
    text = sent if isinstance(sent, (str, list, type(None))) else str(sent)
    assert fill_in(client, make_form(asked(kind)), asked=text).status_code == 302
    assert Submission.objects.get().data == {"asked": kept}


@pytest.mark.parametrize(("kind", "sent"), [(kind, value) for kind, values in BAD.items() for value in values], ids=repr)
def test_bad_values_by_api(api: Api, kind: str, sent: Any) -> None:
    refused = send(api, make_form(asked(kind)), sent)
    assert refused.status_code == 422, refused.content
    assert {key.split(".")[1] for key in refused.json()["errors"]} == {"asked"}
    assert not Submission.objects.exists()


@pytest.mark.parametrize(
    ("kind", "sent"), [(kind, value) for kind, values in BAD.items() for value in values if isinstance(value, PLAIN)], ids=repr
)
def test_bad_values_on_the_site(client: Client, kind: str, sent: Any) -> None:
    if kind == "checkboxes":
        sent = ["red", "blue"]
    assert fill_in(client, make_form(asked(kind)), asked=sent).status_code == 422
    assert not Submission.objects.exists()


@pytest.mark.parametrize("kind", sorted(set(TYPES) - {"file", "hidden"}))
def test_required_fields_by_api(api: Api, kind: str) -> None:
    form = make_form(asked(kind, required=True))
    for data in ({}, {"asked": None}, {"asked": ""}, {"asked": " "}):
        refused = api.post(f"/forms/{form.pk}/submissions", {"data": data})
        assert refused.json()["errors"] == {"data.asked": ["The asked field is required."]}, data
    assert send(api, form, GOOD[kind][0][0]).status_code == 201


def test_nothing_is_no_choice_and_zero_is_a_number(api: Api) -> None:
    assert send(api, make_form(asked("checkboxes", required=True)), []).status_code == 422
    assert send(api, make_form(asked("checkbox", required=True)), False).status_code == 422
    assert send(api, make_form(asked("number", required=True)), 0).status_code == 201


@pytest.mark.parametrize("kind", sorted(set(TYPES) - {"hidden"}))
def test_required_fields_on_the_site(client: Client, kind: str) -> None:
    answer = fill_in(client, make_form(asked(kind, required=True)))
    assert answer.status_code == 422
    asks = {"checkbox": "Tick “Asked”.", "file": "Choose a file for “Asked”."}
    asks |= dict.fromkeys(("select", "radio", "checkboxes"), "Choose an option for “Asked”.")
    assert asks.get(kind, "Fill in “Asked”.") in answer.content.decode()
