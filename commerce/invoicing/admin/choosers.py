"""The chooser of clients, in which a new one can be created."""

from typing import Any

from django import forms
from wagtail.admin.ui.tables import Column

from cms_api.adminkit.choosers import RecordChooserViewSet
from cms_api.adminkit.forms import RecordForm

from ..models import Client
from ..selectors.clients import clients
from ..services import save_client


class NewClientForm(RecordForm):
    """The least that is known of a new client."""

    name = forms.CharField(max_length=Client._meta.get_field("name").max_length)
    email = forms.EmailField()

    class Meta(RecordForm.Meta):
        model = Client


class ClientChooserViewSet(RecordChooserViewSet):
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
    more_columns = [Column("email", label="Email")]

    def records(self, *, search: str = "") -> Any:
        return clients(search=search)

    def create(self, values: dict[str, Any], user: Any) -> Client:
        return save_client(values=values, user=user)


CLIENT_CHOOSER = ClientChooserViewSet()
