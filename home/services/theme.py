"""Saves the theme and invalidates every public page: each shows the name, the colours and the menus."""

from collections.abc import Callable

from django.db import transaction

from cms_api.core import versions

from ..selectors import THEME


@transaction.atomic
def save_theme(save: Callable[[], None]) -> None:
    save()
    versions.bump(THEME)
