from typing import Any

import pytest

from cms_api.core.errors import Invalid
from cms_api.fields import FIELD_TYPES, Field, Option, parse_fields

from .ask import COLOURS


def definition(**changes: Any) -> dict[str, Any]:
    return {"key": "title", "label": "Title", "type": "text"} | changes


def errors(**changes: Any) -> dict[str, list[str]]:
    with pytest.raises(Invalid) as refused:
        Field.from_dict(definition(**changes))
    return refused.value.errors


def test_it_works() -> None:
    field = Field.from_dict(
        definition(
            key="colour", label=" Colour ", type="select", options=COLOURS, default="red", required="1", multiple=False, x=1
        )
    )
    assert field.options == (Option("red", "Deep red"), Option("blue", "Sky blue"))
    assert field.as_dict() == {
        "key": "colour",
        "label": "Colour",
        "type": "select",
        "required": True,
        "help_text": "",
        "default": "red",
        "options": COLOURS,
        "multiple": False,
        "facet": False,
        "unique": False,
    }
    assert Field.from_dict(definition()).as_dict()["options"] is None


def test_every_type_of_the_contract_is_there() -> None:
    names = (
        "text textarea phone color richtext_tiptap number integer boolean select radio checkbox date time datetime url email"
        " address hours image file gallery taxonomy relation"
    )
    assert set(FIELD_TYPES) == set(names.split())


@pytest.mark.parametrize("key", ["Title", "1st", "_x", "a-b", "a.b", "é", "a" * 51, "", None, 5, ["a"]])
def test_bad_keys(key: object) -> None:
    assert list(errors(key=key)) == ["key"]


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"label": ""}, "label"),
        ({"label": "a\0"}, "label"),
        ({"type": "video"}, "type"),
        ({"type": None}, "type"),
        ({"type": ["text"]}, "type"),
        ({"required": "maybe"}, "required"),
        ({"help_text": 5}, "help_text"),
        ({"multiple": True}, "multiple"),
        ({"hierarchical": True}, "hierarchical"),
        ({"options": COLOURS}, "options"),
        ({"type": "select"}, "options"),
        ({"type": "radio", "options": []}, "options"),
        ({"type": "checkbox", "options": "red"}, "options"),
        ({"type": "select", "options": ["red"]}, "options.0"),
        ({"type": "select", "options": [{"label": "Red"}]}, "options.0.value"),
        ({"type": "select", "options": [*COLOURS, COLOURS[0]]}, "options.2.value"),
        ({"type": "select", "options": COLOURS, "default": "green"}, "default"),
        ({"type": "integer", "default": "x"}, "default"),
        ({"type": "datetime", "default": {"start": "x"}}, "default.start"),
    ],
)
def test_bad_definitions(changes: dict[str, Any], path: str) -> None:
    assert list(errors(**changes)) == [path]


def test_every_error_at_once() -> None:
    assert set(errors(key="", label="", type="x", facet=5)) == {"key", "label", "type", "facet"}


def test_defaults_are_cleaned_but_a_datetime_stays_as_written() -> None:
    assert Field.from_dict(definition(type="richtext_tiptap", default="<p>x</p><script>y</script>")).default == "<p>x</p>"
    assert Field.from_dict(definition(type="datetime", default={"start": "2026-03-01T10:00"})).default == {
        "start": "2026-03-01T10:00"
    }


def test_fields_have_their_own_keys() -> None:
    assert [field.key for field in parse_fields([definition(), definition(key="body")])] == ["title", "body"]
    with pytest.raises(Invalid) as refused:
        parse_fields([definition(), definition(), definition(key="")])
    assert set(refused.value.errors) == {"1.key", "2.key"}


@pytest.mark.parametrize("value", [None, {}, "x", 5])
def test_fields_are_an_array(value: object) -> None:
    with pytest.raises(Invalid):
        parse_fields(value)
    with pytest.raises(Invalid):
        parse_fields([value])
