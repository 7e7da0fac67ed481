"""Choosers of records, shown to people who may see these, in which a new one can be created by a service."""

from typing import Any, ClassVar

from django import forms
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from wagtail.admin.forms.choosers import BaseFilterForm
from wagtail.admin.ui.tables import Column
from wagtail.admin.utils import set_query_params
from wagtail.admin.views.generic import chooser
from wagtail.admin.viewsets.chooser import ChooserViewSet
from wagtail.permissions import policy_registry

from cms_api.core.errors import Invalid

from .ids import is_id
from .once import ALREADY_SUBMITTED, ONCE, SubmittedAgain, new_key, submitted_once


class SearchForm(BaseFilterForm):
    q = forms.CharField(label="Search term", required=False, widget=forms.TextInput(attrs={"placeholder": "Search"}))
    #: Set by the view.
    viewset: Any = None

    def filter(self, objects: Any) -> Any:
        query = self.cleaned_data["q"]
        if query and "\0" not in query:
            self.is_searching, self.search_query = True, query
            return self.viewset.records(search=query)
        return objects


def may_see_all(model: type[Model], user: Any) -> bool:
    """Return whether somebody works with records of a model, and so may see those that are no public ones."""
    policy = policy_registry.get_by_type(model)
    return bool(policy.user_has_any_permission(user, ["add", "change", "delete", "publish", "view"]))


class ForThoseWhoSeeAll:
    """First base of the views of one of Wagtail's choosers, which ask for no permission."""

    model: ClassVar[type[Model]]

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not may_see_all(self.model, request.user):
            raise PermissionDenied
        response: HttpResponse = super().dispatch(request, *args, **kwargs)  # type: ignore[misc]
        return response


class NothingToCreate(chooser.CreateView):
    """The page of a chooser in which no record can be created."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        raise Http404


class OfPermitted:
    """First base of a chooser's views."""

    viewset: ClassVar[Any] = None
    request: HttpRequest

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        model = self.viewset.permission_model or self.viewset.model
        if not policy_registry.get_by_type(model).user_has_permission(request.user, "view"):
            raise PermissionDenied
        response: HttpResponse = super().dispatch(request, *args, **kwargs)  # type: ignore[misc]
        return response

    def get_filter_form_class(self) -> type[SearchForm]:
        return type("ViewSetSearchForm", (SearchForm,), {"viewset": self.viewset})

    def get_object_list(self) -> Any:
        return self.viewset.records()

    def get_create_url(self) -> str:
        """Return the address to which the form for a new record is sent, with the key of the form."""
        return set_query_params(super().get_create_url(), {ONCE: new_key()})  # type: ignore[misc]

    def get_object(self, pk: Any) -> Model:
        if not is_id(str(pk)):
            raise self.viewset.model.DoesNotExist
        found: Model = self.viewset.records().get(pk=pk)
        return found

    def get_objects(self, pks: list[Any]) -> Any:
        return self.viewset.records().filter(pk__in=[pk for pk in pks if is_id(str(pk))])

    @property
    def columns(self) -> list[Any]:
        title = self.title_column  # type: ignore[attr-defined]
        title.label = self.viewset.title_label
        return [title, *self.viewset.more_columns]


class CreateView(OfPermitted, chooser.CreateView):
    def post(self, request: HttpRequest) -> HttpResponse:
        self.form: Any = self.get_creation_form()
        if self.form is None:
            raise Http404
        if self.form.is_valid():
            try:
                with submitted_once(request), transaction.atomic():
                    return self.get_chosen_response(self.viewset.create(self.form.values(), request.user))
            except SubmittedAgain:
                self.form.add_error(None, ALREADY_SUBMITTED)
            except Invalid as refusal:
                self.form.refuse(refusal)
        return self.get_reshow_creation_form_response()


class RecordChooserViewSet(ChooserViewSet):
    """A subclass has `records` and, if it has a `creation_form_class` (a `RecordForm`), `create`."""

    title_label = "Name"
    #: People who may see its records can choose; by default the model of the records to choose.
    permission_model: ClassVar[type[Model] | None] = None
    #: Columns beside the record's title.
    more_columns: ClassVar[list[Column]] = []

    choose_view_class = type("RecordChooseView", (OfPermitted, chooser.ChooseView), {})
    choose_results_view_class = type("RecordChooseResultsView", (OfPermitted, chooser.ChooseResultsView), {})
    chosen_view_class = type("RecordChosenView", (OfPermitted, chooser.ChosenView), {})
    chosen_multiple_view_class = type("RecordChosenMultipleView", (OfPermitted, chooser.ChosenMultipleView), {})
    create_view_class = CreateView

    def records(self, *, search: str = "") -> QuerySet[Any]:
        """Return the records that can be chosen, or those that match a search."""
        raise NotImplementedError

    def create(self, values: dict[str, Any], user: Any) -> Model:
        """Create a record with the values of the form. May raise Invalid."""
        raise NotImplementedError

    def get_common_view_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_common_view_kwargs(**kwargs) | {"viewset": self}
