"""Shared rows in the admin, next to the pages that embed them."""

from wagtail.snippets.views import chooser
from wagtail.snippets.views.snippets import SnippetViewSet

from cms_api.adminkit.choosers import ForThoseWhoSeeAll, NothingToCreate

from ..models import SharedRow


class SharedRowChooserViewSet(chooser.SnippetChooserViewSet):
    create_view_class = NothingToCreate
    choose_view_class = type("SharedRowChooseView", (ForThoseWhoSeeAll, chooser.ChooseView), {})
    choose_results_view_class = type("SharedRowChooseResultsView", (ForThoseWhoSeeAll, chooser.ChooseResultsView), {})
    chosen_view_class = type("SharedRowChosenView", (ForThoseWhoSeeAll, chooser.SnippetChosenView), {})
    chosen_multiple_view_class = type("SharedRowChosenMultipleView", (ForThoseWhoSeeAll, chooser.SnippetChosenMultipleView), {})


class SharedRowViewSet(SnippetViewSet):
    model = SharedRow
    icon = "copy"
    chooser_viewset_class = SharedRowChooserViewSet
    menu_label = "Shared rows"
    # It has a menu entry, so it is not listed among the snippets.
    menu_item_is_registered = True
    list_display = ["name"]
    search_fields = ["name"]
    copy_view_enabled = False
