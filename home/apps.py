from importlib import import_module
from typing import Any

from django.apps import AppConfig

from cms_api.core.first_write import before_first_write


class HomeConfig(AppConfig):
    name = "home"
    label = "home"
    verbose_name = "Pages"

    def ready(self) -> None:
        # The model calls it when it is saved.
        before_first_write(lambda: import_module("home.services.theme"))

        from django.db.models.signals import post_delete, post_save
        from wagtail.models import PageViewRestriction, Site
        from wagtail.signals import post_page_move

        from .services import invalidate_tree

        def handle_change(**_: Any) -> None:
            invalidate_tree()

        # Wagtail moves and restricts pages by itself, and reports it only through signals.
        post_page_move.connect(handle_change, weak=False, dispatch_uid="home.moved")
        for model in (PageViewRestriction, Site):
            post_save.connect(handle_change, sender=model, weak=False, dispatch_uid="home.saved")
            post_delete.connect(handle_change, sender=model, weak=False, dispatch_uid="home.deleted")
