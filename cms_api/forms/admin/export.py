"""The columns of the CSV export: one for each field when exporting a single form, else one with the values as JSON."""

from collections.abc import Callable
from typing import Any

import orjson

from cms_api.fields import Field
from cms_api.http.wire import instant

from ..models import Form, Submission
from ..types import in_words

Read = Callable[[Submission], Any]


def columns(form: Form | None) -> list[tuple[str, Read]]:
    """Return headings and readers; headings may repeat, as two fields may have the same label."""
    about: list[tuple[str, Read]] = [
        ("Id", lambda found: found.pk),
        ("Form", lambda found: found.form.name),
        ("Date", lambda found: instant(found.created_at)),
        ("Source", lambda found: found.get_source_display()),
        ("In quarantine", lambda found: in_words(found.is_spam)),
        ("Reason", lambda found: found.spam_reason),
    ]
    if form is None:
        return [*about, ("Data", lambda found: orjson.dumps(found.data).decode())]
    return [*about, *((field.label, _reader(field)) for field in form.schema)]


def _reader(field: Field) -> Read:
    return lambda found: in_words(found.data.get(field.key))
