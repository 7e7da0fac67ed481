"""Functions of the field tests: clean or show one value of a field of a given type."""

from typing import Any
from zoneinfo import ZoneInfo

import pytest

from cms_api.core.errors import Invalid
from cms_api.fields import FIELD_TYPES, Context, Field

BERLIN = Context(ZoneInfo("Europe/Berlin"))
COLOURS = [{"value": "red", "label": "Deep red"}, {"value": "blue", "label": "Sky blue"}]
SURROGATE = "a\ud800"


def make_field(kind: str, **changes: Any) -> Field:
    options = {"options": COLOURS} if FIELD_TYPES[kind].takes_options else {}
    return Field.from_dict({"key": "my_field", "label": "My field", "type": kind} | options | changes)


def clean(kind: str, value: Any, context: Context = BERLIN, **changes: Any) -> Any:
    return FIELD_TYPES[kind].clean(make_field(kind, **changes), value, context)


def serialize(kind: str, stored: Any, context: Context = BERLIN) -> Any:
    return FIELD_TYPES[kind].serialize(make_field(kind), stored, context)


def search_text(kind: str, stored: Any) -> str:
    return FIELD_TYPES[kind].search_text(make_field(kind), stored)


def refusal(kind: str, value: Any, **changes: Any) -> dict[str, list[str]]:
    with pytest.raises(Invalid) as refused:
        clean(kind, value, **changes)
    return refused.value.errors
