"""Plain text field types: one line, many lines, phone number, colour, web address and email address."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ValidationError
from django.core.validators import EmailValidator, URLValidator

from cms_api.fields.base import LINE_LIMIT, FieldPath, FieldType, JsonSchema, read_line, read_text, register
from cms_api.text.hosts import ascii_host
from cms_api.text.keyboards import fold_keyboard

if TYPE_CHECKING:
    from cms_api.fields.definition import Context, Field

AREA_LIMIT = 1_000_000
EMAIL_LIMIT = 254
PHONE_LIMIT = 50
URL_LIMIT = 2048

_PHONE = re.compile(r"[0-9 +\-()./]*[0-9][0-9 +\-()./]*((x|ext\.?) ?[0-9]{1,10})?", re.IGNORECASE)
_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
#: Browsers drop some of these characters and read a backslash as a slash, so the URL would not be what it seems.
UNSAFE_IN_URL = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029\\]")
_check_url = URLValidator(schemes=["http", "https"])
_check_email = EmailValidator(allowlist=())
#: Quotation marks give a mailbox any number of spellings. No visitor has a mailbox at an address in brackets or on this host.
_NOT_MAILED_TO = re.compile(r"""["\\\[\]]|[@.]localhost$|[@.]localdomain$""", re.IGNORECASE)


def is_web_url(value: str) -> bool:
    """Return whether this is an absolute http(s) URL with a host, without credentials or disguising characters."""
    if UNSAFE_IN_URL.search(value):
        return False
    try:
        _check_url(value)
        return "@" not in urlsplit(value).netloc
    except (ValidationError, ValueError):
        return False


def is_email(value: str) -> bool:
    """Return whether this is an address that mail of this site may go to."""
    if len(value) > EMAIL_LIMIT or not value.isprintable() or _NOT_MAILED_TO.search(value):
        return False
    try:
        # Mail servers know domains in ASCII.
        local, at, domain = value.rpartition("@")
        _check_email(local + at + ascii_host(domain))
    except (ValidationError, ValueError):
        return False
    return True


@register("text")
class Text(FieldType):
    def parse(self, field: Field, value: Any, where: FieldPath, context: Context) -> str | None:
        return read_line(value, where)

    def shape(self, field: Field, *, writing: bool) -> JsonSchema:
        return {"type": "string", "maxLength": LINE_LIMIT}

    def search_text(self, field: Field, stored: Any) -> str:
        return stored if isinstance(stored, str) else ""


@register("textarea")
class Textarea(Text):
    def parse(self, field: Field, value: Any, where: FieldPath, context: Context) -> str | None:
        text = read_text(value, where, AREA_LIMIT)
        return text and text.replace("\r\n", "\n").replace("\r", "\n")

    def shape(self, field: Field, *, writing: bool) -> JsonSchema:
        return {"type": "string", "maxLength": AREA_LIMIT}


@register("phone")
class Phone(FieldType):
    def parse(self, field: Field, value: Any, where: FieldPath, context: Context) -> str | None:
        phone = read_line(fold_keyboard(value) if isinstance(value, str) else value, where, PHONE_LIMIT)
        if phone is not None and not _PHONE.fullmatch(phone):
            raise where.refusal("must be a valid phone number.")
        return phone

    def shape(self, field: Field, *, writing: bool) -> JsonSchema:
        return {"type": "string", "maxLength": PHONE_LIMIT}


@register("color")
class Color(FieldType):
    def parse(self, field: Field, value: Any, where: FieldPath, context: Context) -> str:
        if not isinstance(value, str) or not _COLOR.fullmatch(value):
            raise where.refusal("must be a valid hexadecimal color, as in #1a2b3c.")
        return value.lower()

    def shape(self, field: Field, *, writing: bool) -> JsonSchema:
        return {"type": "string", "pattern": "^#[0-9a-fA-F]{6}$" if writing else "^#[0-9a-f]{6}$"}


@register("url")
class Url(FieldType):
    def parse(self, field: Field, value: Any, where: FieldPath, context: Context) -> str | None:
        url = read_line(value, where, URL_LIMIT)
        if url is None:
            return None
        scheme, colon, rest = url.partition(":")
        url = scheme.lower() + colon + rest
        if not (_is_mailto(url) if url.startswith("mailto:") else is_web_url(url)):
            raise where.refusal("must be a valid URL.")
        return url

    def shape(self, field: Field, *, writing: bool) -> JsonSchema:
        # Internationalized URLs are IRIs: "uri" would refuse hosts and paths that are not ASCII.
        return {"type": "string", "format": "iri", "maxLength": URL_LIMIT}


@register("email")
class Email(FieldType):
    def parse(self, field: Field, value: Any, where: FieldPath, context: Context) -> str | None:
        email = read_line(value, where, EMAIL_LIMIT)
        if email is not None and not is_email(email):
            raise where.refusal("must be a valid email address.")
        return email

    def shape(self, field: Field, *, writing: bool) -> JsonSchema:
        return {"type": "string", "format": "email", "maxLength": EMAIL_LIMIT}


def _is_mailto(url: str) -> bool:
    recipients, _, _headers = url.removeprefix("mailto:").partition("?")
    return not UNSAFE_IN_URL.search(url) and all(is_email(unquote(recipient)) for recipient in recipients.split(","))
