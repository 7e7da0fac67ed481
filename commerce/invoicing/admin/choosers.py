"""The chooser of clients, in which a new one can be created."""

from typing import Any

from django import forms
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from wagtail.admin.forms.choosers import BaseFilterForm
from wagtail.admin.ui.tables import Column
from wagtail.admin.views.generic import chooser
from wagtail.admin.viewsets.chooser import ChooserViewSet
from wagtail.permissions import policy_registry

from cms_api.adminkit.forms import RecordForm
from cms_api.adminkit.ids import is_id
from cms_api.core.errors import Invalid

from ..models import Client
from ..selectors.clients import clients
from ..services import save_client


class ClientFilterForm(BaseFilterForm):
    q = forms.CharField(label="Search term", required=False, widget=forms.TextInput(attrs={"placeholder": "Search"}))

    def filter(self, objects: Any) -> Any:
        if query := self.cleaned_data["q"]:
            self.is_searching, self.search_query = True, query
            return clients(search=query)
        return objects


class NewClientForm(RecordForm):
    """The least that is known of a new client."""

    name = forms.CharField(max_length=Client._meta.get_field("name").max_length)
    email = forms.EmailField()

    class Meta(RecordForm.Meta):
        model = Client


class OfPermitted:
    """First base of the chooser's views: clients are shown to people who may see them."""

    filter_form_class = ClientFilterForm
    request: HttpRequest

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not policy_registry.get_by_type(Client).user_has_permission(request.user, "view"):
            raise PermissionDenied
        response: HttpResponse = super().dispatch(request, *args, **kwargs)  # type: ignore[misc]
        return response

    def get_object_list(self) -> Any:
        return clients()

    def get_object(self, pk: Any) -> Client:
        if not is_id(str(pk)):
            raise Client.DoesNotExist
        return clients().get(pk=pk)

    def get_objects(self, pks: list[Any]) -> Any:
        return clients().filter(pk__in=[pk for pk in pks if is_id(str(pk))])

    @property
    def columns(self) -> list[Any]:
        name = self.title_column  # type: ignore[attr-defined]
        name.label = "Name"
        return [name, Column("email", label="Email")]


class CreateClientView(OfPermitted, chooser.CreateView):
    def post(self, request: HttpRequest) -> HttpResponse:
        self.form: Any = self.get_creation_form()
        if self.form.is_valid():
            try:
                with transaction.atomic():
                    return self.get_chosen_response(save_client(values=self.form.values(), user=request.user))
            except Invalid as refusal:
                self.form.refuse(refusal)
        return self.get_reshow_creation_form_response()


class ClientChooserViewSet(ChooserViewSet):
    model = Client
    name = "client_chooser"
    url_prefix = "invoices/clients/choose"
    icon = "user"
    choose_one_text = "Choose a client"
    choose_another_text = "Choose another client"
    edit_item_text = "Open client"
    creation_tab_label = "New client"
    create_action_label = "Create client"
    creation_form_class = NewClientForm
    choose_view_class = type("ClientChooseView", (OfPermitted, chooser.ChooseView), {})
    choose_results_view_class = type("ClientChooseResultsView", (OfPermitted, chooser.ChooseResultsView), {})
    chosen_view_class = type("ClientChosenView", (OfPermitted, chooser.ChosenView), {})
    chosen_multiple_view_class = type("ClientChosenMultipleView", (OfPermitted, chooser.ChosenMultipleView), {})
    create_view_class = CreateClientView


CLIENT_CHOOSER = ClientChooserViewSet()
