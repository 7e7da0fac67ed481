"""The viewset of records that change through services only; see README.md beside this file."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import django_filters
from django.contrib.auth.models import Permission, User
from django.db.models import IntegerField, Model, QuerySet
from django.http import HttpRequest
from django.urls import URLPattern, path, reverse
from django.utils.functional import cached_property
from django.utils.text import slugify
from wagtail import hooks
from wagtail.admin.admin_url_finder import ModelAdminURLFinder
from wagtail.admin.filters import WagtailFilterSet
from wagtail.admin.panels import ObjectList, Panel
from wagtail.admin.ui.tables import BaseColumn
from wagtail.admin.viewsets.model import ModelViewSet
from wagtail.admin.widgets.button import BaseButton
from wagtail.permission_policies import ModelPermissionPolicy
from wagtail.permissions import policy_registry

from cms_api.core.records import delete_record
from cms_api.http.link_keys import LinkedRecord

from . import views
from .bulk_actions import Bulk, ListingAction
from .forms import RecordForm
from .links import existing_path
from .listing import ListView
from .panels import Tabs
from .renewing import renewal
from .reveal import RevealTransitionView
from .search_areas import ListSearchArea
from .transitions import Transition, TransitionView

#: Every page that a viewset may have beside its list.
PAGES = ("add", "copy", "edit", "inspect", "delete", "history", "usage")


class _ExistingPageFinder(ModelAdminURLFinder):
    """Finds the edit page of a record, for Wagtail's reports to link to; not while the feature is off, and there is none."""

    def construct_edit_url(self, instance: Any) -> str | None:
        return existing_path(super().construct_edit_url(instance)) or None


class ListingViewSet(ModelViewSet):
    """The list of a model's records, beside whatever pages Wagtail's viewset has."""

    list_display: Sequence[BaseColumn] = ()
    #: Filters by their parameter, in the order of the drawer.
    filters: ClassVar[Mapping[str, django_filters.Filter]] = {}
    ordering: Sequence[str] = ("-created_at", "-id")
    #: Fields that may be null, and then come last in either direction.
    nulls_last: Collection[str] = ()
    #: The columns of the CSV file: heading to an attribute or a function of the record. There is no export without them.
    csv: ClassVar[Mapping[str, str | Callable[[Any], Any]]] = {}
    bulk_actions: Sequence[Bulk] = ()
    bulk_action_class = ListingAction
    #: Searches the list, where the model's `search_fields` are not how: (records, text) to records.
    search: ClassVar[Callable[[QuerySet[Any], str], QuerySet[Any]] | None] = None
    #: A list with `search` is an area of the admin's search: its name there, if not that of its menu entry, and its place among
    #: Wagtail's own: 100 (pages), 200 (images), 400 (documents), 600 (users). Short lists have `search_fields`, and no area.
    search_label = ""
    search_order = 1000
    #: The label of the list's button that leads to the add page; "Add <model>" where it is empty.
    add_label = ""

    add_to_reference_index = False
    list_per_page = 50
    index_view_class = ListView
    index_template_name = "adminkit/list.html"
    index_results_template_name = "adminkit/list_results.html"

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for place, action in enumerate(self.bulk_actions):
            # After Wagtail's own actions, which they replace.
            hooks.register("register_bulk_action", action.bound_to(self, place), order=100)

    def on_register(self) -> None:
        super().on_register()
        if type(self).search:
            hooks.register("register_admin_search_area", lambda: ListSearchArea(self))

    def records(self) -> QuerySet[Any]:
        """Return every record that the admin shows, with what the columns need."""
        found: QuerySet[Any] = self.model._default_manager.all()
        return found

    def records_of(self, user: Any) -> QuerySet[Any]:
        """Return the records that this user may see, where users see different ones."""
        return self.records()

    def csv_columns(self, request: HttpRequest) -> Iterable[tuple[str, str | Callable[[Any], Any]]]:
        """Return the columns of the CSV file, where they depend on the list's filters; headings may repeat."""
        return self.csv.items()

    def csv_name(self, request: HttpRequest) -> str:
        """Return the name of the CSV file, without its extension."""
        return slugify(self.menu_label)

    def list_context(self, records: QuerySet[Any], request: HttpRequest) -> dict[str, Any]:
        """Return the context of an own `index_results_template_name`; `records` are all that the filters let through."""
        return {}

    def list_buttons(self, user: User) -> Sequence[BaseButton]:
        """Return the buttons of the list's header."""
        return ()

    def list_more_buttons(self, user: User) -> Sequence[BaseButton]:
        """Return the links in the menu of the list's header."""
        return ()

    def record_buttons(self, record: Any, user: User) -> Sequence[BaseButton]:
        """Return links of a record, for the menu of its row and the header of its pages."""
        return ()

    def may_edit(self, record: Any) -> bool:
        """Return whether the record can be edited at present; if not, no page offers it, and its service refuses it."""
        return True

    def may_delete(self, record: Any) -> bool:
        """Return whether the record can be deleted at all; if not, no page offers it."""
        return True

    def list_records(self, query: Any, request: HttpRequest) -> QuerySet[Any]:
        """Return every record of the list that the parameters of its URL show."""
        found = self.records_of(request.user)
        if self.filterset_class:
            filters = self.filterset_class(query, queryset=found, request=request)
            found = filters.qs if filters.is_valid() else found.none()
        return self.search_records(found, query.get("q", ""))

    def search_records(self, records: QuerySet[Any], text: str) -> QuerySet[Any]:
        search = type(self).search
        if "\0" in text:
            return records.none()
        return search(records, text.strip()) if search and text.strip() else records

    @cached_property
    def filterset_class(self) -> type[WagtailFilterSet] | None:
        if not self.filters:
            return None
        meta = type("Meta", (), {"model": self.model, "fields": list(self.filters)})
        return type(f"{self.model.__name__}FilterSet", (WagtailFilterSet,), {**self.filters, "Meta": meta})

    def get_common_view_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_common_view_kwargs(**kwargs) | {"viewset": self}


def by_services(
    save: Callable[..., Model], name: str, delete: Callable[..., None] | None = None
) -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., None]]:
    """Return the methods `create`, `update` and `delete` that call two services, which take the record as the argument `name`.

    Plain records need no service that deletes them.
    """

    def create(self: Any, values: dict[str, Any], user: User) -> Model:
        return save(values=values, user=user)

    def update(self: Any, record: Any, values: dict[str, Any], user: User) -> Model:
        return save(**{name: record}, values=values, user=user)

    def remove(self: Any, record: Any, user: User) -> None:
        if delete is None:
            delete_record(record=record, user=user)
        else:
            delete(**{name: record}, user=user)

    return create, update, remove


class RecordViewSet(ListingViewSet):
    """The pages of a model in the admin: a list, and those of PAGES that `pages` names.

    A subclass declares the list, and methods that call services; permissions are the model's own (`register_permission_policy`
    for others), and the gate is that of the module that declares the viewset.
    """

    pages: ClassVar[Collection[str]] = ("add", "edit", "delete", "history")
    #: The form of the add and edit pages, and the panels that lay it out; where all are `ObjectList`s, each is a tab.
    form: type[RecordForm] | None = None
    panels: Sequence[Panel] = ()
    transitions: Sequence[Transition] = ()
    #: The permission to end the links to a record that people reach by a link; such records have a transition for it.
    renew_permission: ClassVar[str] = "change"
    #: Sentences that name what is deleted with a record, or stays behind; see also `get_delete_consequence`.
    delete_consequence = ""
    #: Shows the secret of a new record, where `add_view_class` is `reveal.RevealAddView`; extends `adminkit/secret.html`.
    secret_template_name = ""

    add_view_class = views.AddView
    copy_view_class = views.CopyView
    edit_view_class = views.EditView
    delete_view_class = views.DeleteView
    inspect_view_class = views.InspectView
    history_view_class = views.HistoryView
    usage_view_class = views.UsageView

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if issubclass(self.model, LinkedRecord):
            in_rows = not {"inspect", "edit"} & set(self.pages)
            self.transitions = (*self.transitions, renewal(permission=self.renew_permission, in_rows=in_rows))

    @cached_property
    def pk_path_converter(self) -> str:
        """The converter of ids in addresses; a record that shares the id of another has that one's."""
        key = self.model_opts.pk
        while key.remote_field:
            key = key.target_field
        return "int" if isinstance(key, IntegerField) else str(super().pk_path_converter)

    # Methods that call services, if the pages need them: a start-up check looks for them. Each may raise Invalid.

    #: Called with the values of the form (`RecordForm.values`) and the user; returns the new record.
    create: Callable[..., Model]
    #: Called with the record, the values of the form and the user; returns the record.
    update: Callable[..., Model]
    #: Called with the record and the user.
    delete: Callable[..., None]
    #: Called with a record; returns the unsaved one with which the form of the copy page begins.
    copied: Callable[..., Model]

    def missing(self) -> Iterator[str]:
        """Yield the methods that the pages call but the viewset lacks, and pages that do not exist."""
        for page in self.pages:
            view = getattr(self, f"{page}_view_class", None)
            yield from (method for method in getattr(view, "calls", ()) if not hasattr(self, method))
            if page not in PAGES:
                yield page

    def facts(self, record: Any) -> Mapping[str, Any]:
        """Return the facts on the record's own page: label to value."""
        return {}

    def inspect_context(self, record: Any, request: HttpRequest) -> dict[str, Any]:
        """Return the context of an own `inspect_template_name`, beside the facts, the transitions and the history."""
        return {}

    def secret_context(self, record: Any) -> dict[str, Any]:
        """Return the context of the `secret_template_name`, beside the record."""
        return {}

    def get_name(self, record: Any) -> str:
        """Return the name of the record at the top of its own page."""
        return str(record)

    def get_delete_consequence(self, record: Any) -> str:
        """Return the consequence of deleting this record, in sentences."""
        return self.delete_consequence

    def get_extra_urlpatterns(self) -> list[URLPattern]:
        """Return the URLs of additional pages; build views of this kit with `construct_view`."""
        return []

    # Everything below is derived.

    def url(self, record: Any) -> str:
        """Return the URL of the record's own page: where it is inspected, else edited, else the list."""
        for page in ("inspect", "edit"):
            if page in self.pages:
                return reverse(self.get_url_name(page), args=[record.pk])
        return reverse(self.get_url_name("index"))

    @property
    def inspect_view_enabled(self) -> bool:
        return "inspect" in self.pages

    @property
    def copy_view_enabled(self) -> bool:
        return "copy" in self.pages

    def get_permissions_to_register(self) -> QuerySet[Permission]:
        """None where groups do not decide who may do what."""
        by_groups = isinstance(policy_registry.get_by_type(self.model), ModelPermissionPolicy)
        return super().get_permissions_to_register() if by_groups else Permission.objects.none()

    @property
    def url_finder_class(self) -> type[ModelAdminURLFinder]:
        return type("_Finder", (_ExistingPageFinder,), {"edit_url_name": self.get_url_name("edit")})

    def register_admin_url_finder(self) -> None:
        """Only where there is an edit page: Wagtail's reports would look for its address."""
        if "edit" in self.pages:
            super().register_admin_url_finder()

    def get_edit_handler(self) -> Panel:
        tabbed = bool(self.panels) and all(isinstance(each, ObjectList) for each in self.panels)
        handler = Tabs if tabbed else ObjectList
        return handler(self.panels, base_form_class=self.form or RecordForm).bind_to_model(self.model)

    def get_common_view_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        absent = {f"{page}_url_name": None for page in PAGES if page not in self.pages}
        return super().get_common_view_kwargs(**kwargs) | absent

    def get_urlpatterns(self) -> list[URLPattern]:
        present = {"index", "index_results", *self.pages}
        if "history" in self.pages:
            present.add("history_results")
        return [
            *(pattern for pattern in super().get_urlpatterns() if pattern.name in present),
            *(self.transition_pattern(transition) for transition in self.transitions),
            *self.get_extra_urlpatterns(),
        ]

    def transition_pattern(self, transition: Transition) -> URLPattern:
        view_class = RevealTransitionView if transition.reveals else TransitionView
        view = self.construct_view(view_class, transition=transition, permission_required=transition.permission)
        return path(f"{transition.name.replace('_', '-')}/<id:pk>/", view, name=transition.name)

    def part_pattern(
        self, route: str, transition: Transition, *, parts: Callable[[], QuerySet[Any]], home: Callable[[Any], str], policy: Any
    ) -> URLPattern:
        """Return the URL of a transition of something that belongs to a record, for `get_extra_urlpatterns`.

        `parts()` are those that can be found, `home(part)` is the page with the button, and `policy` says who has the permission.
        """
        options = {"transition": transition, "permission_required": transition.permission, "permission_policy": policy}
        return path(route, self.construct_view(TransitionView, **options, parts=parts, home=home), name=transition.name)

    def transition_url(self, transition: Transition, record: Any) -> str:
        return reverse(self.get_url_name(transition.name), args=[record.pk])
