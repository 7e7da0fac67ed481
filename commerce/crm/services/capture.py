"""Creates or fills in a contact from a form submission, and records the submission in its timeline."""

from typing import Any

from cms_api.core.errors import Invalid
from cms_api.forms.types import Received
from commerce.common.types import MAX_PHONE, read_email, split_name

from ..types import FIELDS, ActivityKind, NewActivity
from .contacts import upsert_contact

SOURCE = "form"

_WHOLE_NAME = ("name", "full_name", "your_name")


def capture(received: Received) -> int | None:
    """Create or fill in the contact with the submitted address; return its id, or None without a valid address."""
    try:
        email = read_email(received.email)
    except Invalid:
        return None
    reference, link = "", ""
    if received.submission_id:
        reference, link = f"form:{received.submission_id}", f"/admin/forms/submissions/inspect/{received.submission_id}/"
    activity = NewActivity(ActivityKind.FORM, received.form_name, reference, link)
    return upsert_contact(values={"email": email, **_values(received)}, source=SOURCE, activity=activity).contact.pk


def _values(received: Received) -> dict[str, str]:
    found = {}
    for field in FIELDS:
        if text := next(filter(None, (_line(received.data.get(key)) for key in field.captured_from)), ""):
            found[field.name] = text[: field.max_length]
    if not {"first_name", "last_name"} & set(found):
        whole = next(filter(None, (_line(received.data.get(key)) for key in _WHOLE_NAME)), "")
        found["first_name"], found["last_name"] = split_name(whole)
    phones = (_line(received.data.get(asked.key)) for asked in received.fields if asked.type == "phone")
    found["phone"] = next(filter(None, phones), "")[:MAX_PHONE]
    return {column: text for column, text in found.items() if text}


def _line(value: Any) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
