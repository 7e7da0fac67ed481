"""Any JSON is either refused as Invalid or cleaned to a stable value that matches the type's schema."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from cms_api.core.errors import Invalid
from cms_api.fields import FIELD_TYPES, Field, clean_data
from tests.figures import figure

from .ask import BERLIN, COLOURS, make_field

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(st.characters()),
    st.sampled_from(
        ["red", "7", "a@b.de", "https://a.de/", "media/x.jpg", "<p>x<script>y", "1.5", "09:00", "#AABBCC", "\ud800", "\0"]
    ),
)
ANYTHING = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
)
DATES = st.dates().map(str)
MOMENTS = st.datetimes().map(lambda moment: moment.isoformat()[:16])
OFFSETS = st.sampled_from(["", "Z", "+14:00", "-12:00", "+23:59", "-23:59"])
WHEN = st.one_of(DATES, st.builds(str.__add__, MOMENTS, OFFSETS), SCALARS)
DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
TIMES = st.times().map(lambda time: time.isoformat()[:5])
REPEAT = st.fixed_dictionaries(
    {"frequency": st.sampled_from(["daily", "weekly", "monthly", "yearly"]) | SCALARS},
    optional={
        "interval": st.integers(-1, 1001) | SCALARS,
        "until": DATES | SCALARS,
        "count": st.integers(-1, 1001) | SCALARS,
        "weekdays": st.lists(st.sampled_from(DAYS)) | ANYTHING,
        "monthly": st.sampled_from(["day", "weekday"]) | SCALARS,
    },
)
LIKELY: dict[str, st.SearchStrategy[Any]] = {
    "date": DATES,
    "time": TIMES,
    "datetime": st.fixed_dictionaries(
        {"start": WHEN},
        optional={
            "end": WHEN,
            "all_day": st.booleans() | SCALARS,
            "tz": st.sampled_from(["UTC", "Asia/Tokyo", "America/New_York", "Pacific/Apia", "Africa/Monrovia", "../x"]) | SCALARS,
            "repeat": REPEAT | SCALARS,
        },
    ),
    "hours": st.dictionaries(
        st.sampled_from(DAYS), st.lists(st.fixed_dictionaries({"open": TIMES, "close": TIMES}), max_size=3) | ANYTHING
    ),
    "address": st.dictionaries(st.sampled_from(["street", "city", "latitude", "longitude"]), SCALARS | st.floats(-90, 90)),
    "checkbox": st.lists(st.sampled_from(["red", "blue"])),
    "gallery": st.lists(SCALARS, max_size=3),
    "taxonomy": st.lists(st.integers(1, 9) | st.text(max_size=3), max_size=3),
    "relation": st.lists(st.integers(1, 9), max_size=3),
    "email": st.emails(),
    "richtext_tiptap": st.text("<>/=\"'&;#x abpre!-\n", max_size=60)
    | st.lists(
        st.sampled_from(["<p>", "</p>", "<a>", "<b>", "</b>", "<table>", "<td>", "<li>", "<pre>", "\n", "<h1>", "x", "</div>"])
    ).map("".join)
    | st.fixed_dictionaries({"type": st.just("doc"), "content": ANYTHING}),
}


def variants(kind: str) -> list[Field]:
    changes = {"multiple": True} if FIELD_TYPES[kind].takes_multiple else {"required": True}
    return [make_field(kind), make_field(kind, **changes)]


@pytest.mark.parametrize("kind", sorted(FIELD_TYPES))
@settings(max_examples=figure(12, 100), deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_json(kind: str, data: st.DataObject) -> None:
    value = data.draw(ANYTHING | LIKELY[kind] if kind in LIKELY else ANYTHING)
    field = data.draw(st.sampled_from(variants(kind)))
    field_type = FIELD_TYPES[kind]
    try:
        stored = field_type.clean(field, value, BERLIN)
    except Invalid:
        return
    json.dumps(stored, allow_nan=False).encode()
    json.dumps(stored, ensure_ascii=False).encode()
    assert field_type.clean(field, stored, BERLIN) == stored
    Draft202012Validator(field_type.json_schema(field, writing=False)).validate(field_type.serialize(field, stored, BERLIN))
    assert isinstance(field_type.search_text(field, stored), str)


@settings(max_examples=figure(25, 100), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.dictionaries(st.sampled_from(sorted(FIELD_TYPES)), ANYTHING), st.booleans(), st.booleans())
def test_any_data(data: dict[str, Any], partial: bool, enforce_required: bool) -> None:
    fields = [make_field(kind, key=kind, required=index % 2) for index, kind in enumerate(FIELD_TYPES)]
    errors: dict[str, list[str]] = {}
    cleaned: dict[str, Any] = {}
    try:
        cleaned = clean_data(fields, data, context=BERLIN, partial=partial, enforce_required=enforce_required)
    except Invalid as refused:
        errors = refused.errors
    assert all(path.startswith("data.") for path in errors)
    assert errors or set(cleaned) == (set(data) if partial else set(FIELD_TYPES))


@settings(max_examples=figure(75, 300), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    ANYTHING
    | st.fixed_dictionaries(
        {"key": st.just("a"), "label": st.just("A"), "type": st.sampled_from(sorted(FIELD_TYPES)) | SCALARS},
        optional={"options": st.just(COLOURS) | ANYTHING, "default": ANYTHING, "multiple": SCALARS, "help_text": SCALARS},
    )
)
def test_any_definition(definition: Any) -> None:
    try:
        field = Field.from_dict(definition)
    except Invalid:
        return
    assert Field.from_dict(field.as_dict()).as_dict() == field.as_dict()


@pytest.mark.parametrize("kind", sorted(FIELD_TYPES))
def test_schemas_are_valid(kind: str) -> None:
    for field in variants(kind):
        for writing in (True, False):
            schema = FIELD_TYPES[kind].json_schema(field, writing=writing)
            Draft202012Validator.check_schema(schema)
            takes_null = Draft202012Validator(schema).is_valid(None)
            assert takes_null == (not (writing and field.required))
