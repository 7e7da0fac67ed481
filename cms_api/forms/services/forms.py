"""Writes of forms; they invalidate pages that show the form."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.text import slugify
from wagtail.log_actions import log

from cms_api.core import versions
from cms_api.core.errors import ErrorCollector, Invalid, required_message, taken_message
from cms_api.core.identifiers import SLUG_OF_DIGITS, with_letters
from cms_api.core.locks import get_row, lock_to_delete
from cms_api.fields.base import FieldPath, read_line, read_text
from cms_api.mail.types import is_address

from ..models import Attachment, Form
from ..selectors import VERSION
from ..types import MAX_RECIPIENTS, MAX_SLUG, parse_fields
from .files import forget_files

#: The text attributes of a form and their maximum length in characters.
TEXTS = {"name": 120, "description": 1000, "success_message": 1000, "submit_label": 60}
FLAGS = ("store_submissions", "enabled")
ATTRIBUTES = (*TEXTS, *FLAGS, "fields", "recipients")
LINES = ("name", "submit_label")


@transaction.atomic
def save_form(*, form: Form | None = None, slug: str = "", values: Mapping[str, Any], user: Any = None) -> Form:
    """Create a form (`form` is None) or change one. The slug, derived from the name unless given, is fixed. Raises Invalid."""
    new = form is None
    found = Form() if form is None else get_row(Form.objects.select_for_update(), form.pk)
    _read(found, values, slug)
    _save(found)
    log(instance=found, action="wagtail.create" if new else "wagtail.edit", user=user)
    versions.bump(VERSION)
    return found


def unsaved_form(*, form: Form | None = None, values: Mapping[str, Any]) -> Form:
    """Return a form as `save_form` would save it, for a preview. Nothing is written. Raises Invalid."""
    found = Form() if form is None else get_row(Form.objects.all(), form.pk)
    _read(found, values, "")
    return found


def _read(found: Form, values: Mapping[str, Any], slug: str) -> None:
    """Set the values on a form, and the slug of a new one. Raises Invalid with all errors."""
    collector = ErrorCollector()
    for name, limit in TEXTS.items():
        if name in values:
            with collector.under():
                read = read_line if name in LINES else read_text
                setattr(found, name, read(values[name], FieldPath(name, name), limit) or "")
    for name in FLAGS:
        if name in values:
            setattr(found, name, bool(values[name]))
    if not found.name:
        collector.errors.setdefault("name", [required_message("name")])
    if "recipients" in values:
        with collector.under("recipients"):
            found.recipients = _read_recipients(values["recipients"])
    if "fields" in values:
        with collector.under("fields"):
            found.fields = [field.as_stored() for field in parse_fields(values["fields"])]
    if found._state.adding:
        with collector.under():
            found.slug = _read_slug(slug, found.name)
    collector.raise_if_any()
    found.__dict__.pop("schema", None)
    if not found.store_submissions and any(field.type == "file" for field in found.schema):
        raise Invalid({"store_submissions": "A form with file fields must store its submissions."})


def _save(form: Form) -> None:
    try:
        with transaction.atomic():
            form.save()
    except IntegrityError:
        # Another request took the slug since the lookup.
        raise Invalid({"slug": taken_message("slug")}) from None


@transaction.atomic
def delete_form(*, form: Form, user: Any = None) -> None:
    """Delete a form with all of its submissions; rows that show it become empty."""
    # Locked, so that nothing is submitted meanwhile.
    lock_to_delete(form)
    forget_files(Attachment.objects.filter(submission__form=form))
    log(instance=form, action="wagtail.delete", user=user, deleted=True)
    form.delete()
    versions.bump(VERSION)


def _read_slug(given: str, name: str) -> str:
    slug = given.strip()
    if not slug:
        return _free_slug(with_letters(slugify(name)[: MAX_SLUG - 9], "form") or "form")
    if slugify(slug) != slug or len(slug) > MAX_SLUG:
        raise Invalid({"slug": f"The slug may contain only lower-case letters, digits and hyphens, at most {MAX_SLUG}."})
    if slug.isdecimal():
        raise Invalid({"slug": SLUG_OF_DIGITS})
    if Form.objects.filter(slug=slug).exists():
        raise Invalid({"slug": taken_message("slug")})
    return slug


def _free_slug(base: str) -> str:
    known = set(Form.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    number, slug = 1, base
    while slug in known:
        number += 1
        slug = f"{base}-{number}"
    return slug


def _read_recipients(given: Sequence[str]) -> list[str]:
    found = list(dict.fromkeys(address.strip() for address in given if address.strip()))
    if len(found) > MAX_RECIPIENTS:
        raise Invalid({"": f"Enter at most {MAX_RECIPIENTS} recipients."})
    wrong = [address for address in found if not is_address(address)]
    if wrong:
        raise Invalid({"": f"{wrong[0]} is not a valid email address."})
    return found
