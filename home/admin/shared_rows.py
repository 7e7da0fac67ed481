"""Shared rows in the admin, next to the pages that embed them."""

from wagtail.snippets.views.snippets import SnippetViewSet

from ..models import SharedRow


class SharedRowViewSet(SnippetViewSet):
    model = SharedRow
    icon = "copy"
    menu_label = "Shared rows"
    # It has a menu entry, so it is not listed among the snippets.
    menu_item_is_registered = True
    list_display = ["name"]
    search_fields = ["name"]
    copy_view_enabled = False
