"""Reads of imports: the kinds a user may import, and their runs."""

from typing import Any

from django.db.models import QuerySet
from django.urls import reverse

from cms_api.core import registry
from cms_api.core.module import Import
from cms_api.flags.selectors import is_on

from .models import ImportRun


def kinds_on() -> dict[str, Import]:
    """Return the kinds of imports whose modules are on, by name."""
    return {name: kind for name, (module, kind) in registry.imports().items() if is_on(module.feature)}


def kinds_of(user: Any) -> dict[str, Import]:
    """Return the kinds that a user may import, by name."""
    return {name: kind for name, kind in kinds_on().items() if user.has_perm(kind.permission)}


def import_url(name: str, user: Any) -> str:
    """Return the admin path to import a kind of records; empty if the user may not."""
    return reverse("imports:new", args=[name]) if name in kinds_of(user) else ""


def runs_of(user: Any) -> QuerySet[ImportRun]:
    """Return the runs of the kinds that a user may import."""
    return ImportRun.objects.filter(kind__in=kinds_of(user)).select_related("user")
