"""Blocks that define fields, and a service's errors inside blocks."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from wagtail import blocks

from cms_api.adminkit.forms import RecordForm
from cms_api.adminkit.streams import KeyedStreamBlock, block_error
from cms_api.core.errors import Invalid
from cms_api.media.models import Category

OPTIONS = blocks.ListBlock(blocks.StructBlock([("value", blocks.CharBlock())]))
FIELD = [("label", blocks.CharBlock()), ("key", blocks.CharBlock(required=False)), ("on", blocks.BooleanBlock(required=False))]
STREAM = KeyedStreamBlock([("text", blocks.StructBlock(FIELD)), ("choice", blocks.StructBlock([*FIELD, ("options", OPTIONS)]))])
DEFINITIONS = [
    {"type": "text", "key": "name", "label": "Name", "on": True, "other": "left out"},
    {"type": "choice", "key": "size", "label": "Size", "on": None, "options": [{"value": "S"}, {"value": "L"}]},
]


def value() -> blocks.StreamValue:
    return STREAM.from_definitions(DEFINITIONS)


def test_definitions_become_blocks() -> None:
    first, second = value()
    assert (first.block_type, dict(first.value)) == ("text", {"label": "Name", "key": "name", "on": True})
    assert not second.value["on"]
    assert [dict(option) for option in second.value["options"]] == [{"value": "S"}, {"value": "L"}]
    assert [child.id for child in value()] == [first.id, second.id]


def messages(error: ValidationError) -> Any:
    return error.as_json_data() if hasattr(error, "as_json_data") else error.messages


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        ({"0.key": ["Taken."]}, {"blockErrors": {0: {"blockErrors": {"key": {"messages": ["Taken."]}}}}}),
        ({"1": ["Wrong."]}, {"blockErrors": {1: {"messages": ["Wrong."]}}}),
        ({"1.type": ["Unknown."], "": ["Too few."]}, {"messages": ["Too few."], "blockErrors": {1: {"messages": ["Unknown."]}}}),
        ({"7.key": ["Not there."], "x": ["Nor this."]}, {"messages": ["Not there.", "Nor this."]}),
        (
            {"1.options.0.value": ["Twice."], "1.options.1.value": ["Twice."], "1.label": ["Long.", "Odd."]},
            {
                "blockErrors": {
                    1: {
                        "blockErrors": {
                            "label": {"messages": ["Long.", "Odd."]},
                            "options": {
                                "blockErrors": {
                                    0: {"blockErrors": {"value": {"messages": ["Twice."]}}},
                                    1: {"blockErrors": {"value": {"messages": ["Twice."]}}},
                                }
                            },
                        }
                    }
                }
            },
        ),
    ],
)
def test_errors_are_shown_at_their_blocks(errors: dict[str, list[str]], expected: dict[str, Any]) -> None:
    assert messages(block_error(STREAM, value(), errors)) == expected


class StreamForm(RecordForm):
    refused_at = {"fields": "editor"}

    editor = blocks.BlockField(STREAM, required=False)

    class Meta(RecordForm.Meta):
        model = Category
        fields = ["name"]


@pytest.mark.django_db
def test_a_refusal_is_shown_at_its_field_and_block() -> None:
    form = StreamForm(data={"name": "x", "editor-count": "0"}, instance=Category())
    assert form.is_valid(), form.errors
    form.cleaned_data["editor"] = value()
    form.refuse(Invalid({"fields.0.key": ["Taken."], "fields": ["Too few."], "name.0": ["Odd."], "other": ["Elsewhere."]}))
    assert (form.errors["name"], form.errors["__all__"]) == (["Odd."], ["Elsewhere."])
    (error,) = form.errors["editor"].as_data()
    assert messages(error) == {"messages": ["Too few."], "blockErrors": {0: {"blockErrors": {"key": {"messages": ["Taken."]}}}}}
