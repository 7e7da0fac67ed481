"""The status and input of comments: rules that need no database."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import TextChoices

from cms_api.core.errors import ErrorCollector, Invalid, required_message
from cms_api.fields.base import FieldPath, read_line, read_text
from cms_api.fields.names import read_name
from cms_api.fields.texts import EMAIL_LIMIT, is_email

MAX_NAME = 100
MAX_BODY = 5000
#: How long spam is stored, in case some of it was not spam.
SPAM_RETENTION = timedelta(days=30)


class Status(TextChoices):
    PENDING = "pending", "Waiting"
    APPROVED = "approved", "Approved"
    SPAM = "spam", "Spam"


@dataclass(frozen=True, slots=True)
class Written:
    """A visitor's input, validated."""

    name: str
    email: str
    comment: str


def read_comment(values: Mapping[str, Any]) -> Written:
    """Validate a comment. Raises Invalid with every mistake (`name`, `email`, `comment`)."""
    errors = ErrorCollector()
    found = {"name": "", "email": "", "comment": ""}
    with errors.under():
        found["name"] = read_name(values.get("name"), FieldPath("name", "name"), MAX_NAME)
    with errors.under():
        found["email"] = _read_email(values.get("email"))
    with errors.under():
        found["comment"] = _read_body(values.get("comment"))
    for key, value in found.items():
        if not value and key not in errors.errors:
            errors.add(key, required_message(key))
    errors.raise_if_any()
    return Written(**found)


def _read_email(value: Any) -> str:
    email = read_line(value, FieldPath("email", "email"), EMAIL_LIMIT) or ""
    if email and not is_email(email):
        raise Invalid({"email": "The email field must be a valid email address."})
    return email


def _read_body(value: Any) -> str:
    """Normalize line ends to a single character: browsers count and send them differently."""
    if isinstance(value, str):
        value = value.replace("\r\n", "\n").replace("\r", "\n")
    return read_text(value, FieldPath("comment", "comment"), MAX_BODY) or ""
