"""The chooser of content items: those visible in the admin, newest first, with the same search as the API.

People who do not work with content choose among what visitors see.
"""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest
from wagtail.admin.forms.choosers import BaseFilterForm
from wagtail.admin.ui.tables import Column, StatusTagColumn
from wagtail.snippets.views import chooser

from cms_api.adminkit.choosers import NothingToCreate, may_see_all
from cms_api.adminkit.ids import is_id
from cms_api.text.search import matching

from ..models import ContentItem
from ..selectors import type_by_id, visible_types
from ..types import Status
from .access import visible_items

_FILTER = {"data-chooser-modal-search-filter": True}


def _type_choices() -> list[tuple[str, str]]:
    return [("", "All types"), *((str(found.pk), found.name) for found in visible_types().values())]


class ItemFilterForm(BaseFilterForm):
    q = forms.CharField(label="Search term", required=False, widget=forms.TextInput(attrs={"placeholder": "Search"}))
    type = forms.ChoiceField(label="Type", required=False, choices=_type_choices, widget=forms.Select(attrs=_FILTER))

    def filter(self, objects: Any) -> Any:
        objects = super().filter(objects)
        if type_id := self.cleaned_data["type"]:
            objects = objects.filter(type_id=type_id)
        if query := self.cleaned_data["q"]:
            objects = matching(objects, query)
            self.is_searching, self.search_query = True, query
        return objects


class ItemChoices:
    """First base of the chooser's views: limits them to items that the person may see."""

    filter_form_class = ItemFilterForm
    request: HttpRequest

    def items(self) -> QuerySet[ContentItem]:
        found = visible_items()
        return found if may_see_all(ContentItem, self.request.user) else found.filter(status=Status.PUBLISHED)

    def get_object_list(self) -> Any:
        return self.items().defer("cached_json", "data")

    def get_object(self, pk: Any) -> ContentItem:
        if not is_id(str(pk)):
            raise ContentItem.DoesNotExist
        return self.items().get(pk=pk)

    def get_objects(self, pks: list[Any]) -> Any:
        return self.items().filter(pk__in=[pk for pk in pks if is_id(str(pk))])

    def get_display_title(self, item: ContentItem) -> str:
        return f"{item.title} ({type_by_id(item.type_id).name})"

    @property
    def columns(self) -> list[Any]:
        kind = Column("type", label="Type", accessor=lambda item: type_by_id(item.type_id).name)
        return [self.title_column, kind, StatusTagColumn("status", primary=lambda item: item.status == Status.PUBLISHED)]  # type: ignore[attr-defined]


class ItemChooserViewSet(chooser.SnippetChooserViewSet):
    create_view_class = NothingToCreate
    choose_view_class = type("ItemChooseView", (ItemChoices, chooser.ChooseView), {})
    choose_results_view_class = type("ItemChooseResultsView", (ItemChoices, chooser.ChooseResultsView), {})
    chosen_view_class = type("ItemChosenView", (ItemChoices, chooser.SnippetChosenView), {})
    chosen_multiple_view_class = type("ItemChosenMultipleView", (ItemChoices, chooser.SnippetChosenMultipleView), {})
