"""Creates or fills in a contact from a form submission, and records the submission in its timeline."""

from collections.abc import Mapping
from typing import Any

from cms_api.core.errors import Invalid
from cms_api.forms.types import Received
from commerce.common.types import MAX_LINE, MAX_NAME, MAX_PHONE, read_email, split_name

from ..types import MAX_COMPANY, ActivityKind, NewActivity
from .contacts import upsert_contact

SOURCE = "form"

#: For each contact column, the form field keys it is read from and its maximum length.
_KEYS: Mapping[str, tuple[tuple[str, ...], int]] = {
    "first_name": (("first_name", "firstname", "given_name"), MAX_NAME),
    "last_name": (("last_name", "lastname", "family_name", "surname"), MAX_NAME),
    "company": (("company", "company_name", "organisation", "organization"), MAX_COMPANY),
    "job_title": (("job_title", "position"), MAX_LINE),
    "street": (("street", "address"), MAX_LINE),
    "street2": (("street2",), MAX_LINE),
    "city": (("city", "town"), MAX_NAME),
    "state": (("state", "region"), MAX_NAME),
    "postal_code": (("postal_code", "postcode", "zip"), 30),
    "country": (("country",), MAX_NAME),
}
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
    for column, (keys, length) in _KEYS.items():
        if text := next(filter(None, (_line(received.data.get(key)) for key in keys)), ""):
            found[column] = text[:length]
    if not {"first_name", "last_name"} & set(found):
        whole = next(filter(None, (_line(received.data.get(key)) for key in _WHOLE_NAME)), "")
        found["first_name"], found["last_name"] = split_name(whole)
    phones = (_line(received.data.get(field.key)) for field in received.fields if field.type == "phone")
    found["phone"] = next(filter(None, phones), "")[:MAX_PHONE]
    return {column: text for column, text in found.items() if text}


def _line(value: Any) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
