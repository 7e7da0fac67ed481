"""Saves the theme and invalidates every public page: each shows the name, the colours and the menus."""

from collections.abc import Callable

from django.db import transaction

from cms_api.core import versions

from ..selectors import LOOK


@transaction.atomic
def save_look(save: Callable[[], None]) -> None:
    save()
    versions.bump(LOOK)
