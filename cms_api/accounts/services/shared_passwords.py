"""Shared passwords of private pages and collections: a new one ends what the former one has opened."""

from typing import Any

from wagtail.models import BaseViewRestriction


def end_access(instance: BaseViewRestriction, raw: bool = False, **_: Any) -> None:
    """Replace a restriction whose password is about to change. Sessions note which restrictions were passed, by their ids."""
    stored = type(instance).objects.filter(pk=instance.pk)
    is_protected = instance.restriction_type == BaseViewRestriction.PASSWORD
    if not raw and instance.pk and is_protected and stored.exclude(password=instance.password).exists():
        stored.delete()
        instance.pk = None
