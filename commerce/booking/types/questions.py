"""Intake questions: the fields of forms, without those that make no sense when booking."""

from collections.abc import Mapping, Sequence
from typing import Any

from cms_api.core.errors import Invalid
from cms_api.fields import Context
from cms_api.forms.types import FormField, clean_data, in_words, parse_fields

from .appointments import MAX_QUESTIONS

#: Types of fields that cannot be asked for.
REFUSED = ("file", "hidden")


def read_questions(definitions: Any) -> list[dict[str, Any]]:
    """Return the stored form of questions. Raises Invalid, keyed by the number of the question, as in `2.key`."""
    fields = parse_fields(definitions)
    if len(fields) > MAX_QUESTIONS:
        raise Invalid({"": f"A service may not have more than {MAX_QUESTIONS} questions."})
    for number, field in enumerate(fields):
        if field.type in REFUSED:
            raise Invalid({f"{number}.type": "Files and hidden values cannot be asked for."})
    return [field.as_stored() for field in fields]


def read_intake(fields: Sequence[FormField], answers: Mapping[str, Any], context: Context) -> list[dict[str, str | None]]:
    """Return the answers as they are stored with an appointment, in the order of the questions. Raises Invalid (`data.<key>`)."""
    cleaned = clean_data(fields, answers, context)
    return [{"question": field.label, "answer": in_words(cleaned[field.key]) or None} for field in fields]
