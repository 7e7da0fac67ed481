"""Writes of mailing lists."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils.text import slugify

from cms_api.core.errors import ErrorCollector, Invalid, required_message, taken_message
from cms_api.core.records import lock_or_build, store_record
from cms_api.fields.base import FieldPath, read_line
from commerce.common.types import MAX_TAG

from ..models import MailingList
from ..types import MAX_LIST, MAX_LIST_DESCRIPTION, MAX_POSITION, MAX_SLUG


@transaction.atomic
def save_list(*, values: Mapping[str, Any], mailing_list: MailingList | None = None, user: Any = None) -> MailingList:
    """Create or change a mailing list; values not given are unchanged.

    `values` may have `name`, `slug`, `description`, `tag`, `is_public` and `position`. Raises Invalid by attribute, also
    for a tag that differs from another list's only in case: both would have the same subscribers.
    """
    saved = lock_or_build(MailingList, mailing_list)
    collector = ErrorCollector()
    for name, limit in (("name", MAX_LIST), ("slug", MAX_SLUG), ("description", MAX_LIST_DESCRIPTION), ("tag", MAX_TAG)):
        with collector.under():
            if name in values:
                setattr(saved, name, " ".join((read_line(values[name], FieldPath(name, name), limit) or "").split()))
            if name != "description" and not getattr(saved, name):
                raise Invalid({name: required_message(name)})
    saved.is_public = values.get("is_public", saved.is_public)
    saved.position = values.get("position", saved.position)
    _check(saved, collector)
    return store_record(saved, user=user, refusal={"slug": taken_message("slug")})


def _check(saved: MailingList, collector: ErrorCollector) -> None:
    others = MailingList.objects.exclude(pk=saved.pk)
    with collector.under():
        if slugify(saved.slug) != saved.slug:
            raise Invalid({"slug": "The slug may contain only lower-case letters, digits, hyphens and underscores."})
        if others.filter(slug=saved.slug).exists():
            raise Invalid({"slug": taken_message("slug")})
    with collector.under():
        if "," in saved.tag:
            raise Invalid({"tag": "A tag cannot contain a comma."})
        if others.filter(tag__iexact=saved.tag).exists():
            raise Invalid({"tag": "Another list has this tag."})
    if not 0 <= saved.position <= MAX_POSITION:
        collector.add("position", f"The position must be a number between 0 and {MAX_POSITION}.")
    collector.raise_if_any()
