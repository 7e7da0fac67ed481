"""Writes of mailing lists."""

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.text import slugify
from wagtail.log_actions import log

from cms_api.core.errors import ErrorCollector, Invalid, required_message, taken_message
from cms_api.core.locks import get_row, lock_to_delete
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
    saved = (
        MailingList() if mailing_list is None else get_row(MailingList.objects.select_for_update(no_key=True), mailing_list.pk)
    )
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
    try:
        with transaction.atomic():
            saved.save()
    except IntegrityError:
        # Another list took the slug or tag after the check.
        raise Invalid({"slug": taken_message("slug")}) from None
    log(instance=saved, action="wagtail.edit" if mailing_list else "wagtail.create", user=user)
    return saved


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


@transaction.atomic
def delete_list(*, mailing_list: MailingList, user: Any = None) -> None:
    """Delete a mailing list. Its subscribers keep its tag."""
    lock_to_delete(mailing_list)
    log(instance=mailing_list, action="wagtail.delete", user=user, deleted=True)
    mailing_list.delete()
