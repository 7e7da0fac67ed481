"""Reads of imports: which kinds there are for whom, and the runs of these."""

from typing import Any

from django.db.models import QuerySet

from cms_api.core import registry
from cms_api.core.module import Import
from cms_api.flags.selectors import is_on

from .models import ImportRun


def kinds_on() -> dict[str, Import]:
    """The kinds of imports whose modules are on, by name."""
    return {name: kind for name, (module, kind) in registry.imports().items() if is_on(module.feature)}


def kinds_of(user: Any) -> dict[str, Import]:
    """Those of them that somebody may import."""
    return {name: kind for name, kind in kinds_on().items() if user.has_perm(kind.permission)}


def runs_of(user: Any) -> QuerySet[ImportRun]:
    """The imports that somebody may see: of the kinds that they may import."""
    return ImportRun.objects.filter(kind__in=kinds_of(user)).select_related("user")
