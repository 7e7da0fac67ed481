"""The chooser of clients, who are those of invoicing, whether or not that is on."""

from typing import Any

from django import forms
from wagtail.admin.ui.tables import Column

from cms_api.adminkit.choosers import RecordChooserViewSet
from cms_api.adminkit.forms import RecordForm
from commerce.invoicing.selectors.clients import clients
from commerce.invoicing.services import save_client
from commerce.invoicing.types.invoices import MAX_CLIENT

from ..models import Project


class NewClientForm(RecordForm):
    """The least that is known of a new client."""

    name = forms.CharField(max_length=MAX_CLIENT)
    email = forms.EmailField()

    class Meta(RecordForm.Meta):
        model = Project._meta.get_field("client").related_model


class ClientChooserViewSet(RecordChooserViewSet):
    model = Project._meta.get_field("client").related_model
    name = "project_client_chooser"
    url_prefix = "projects/clients/choose"
    # Invoicing has its own, whose URLs are gated by that feature.
    register_widget = False
    icon = "user"
    choose_one_text = "Choose a client"
    choose_another_text = "Choose another client"
    creation_tab_label = "New client"
    create_action_label = "Create client"
    creation_form_class = NewClientForm
    more_columns = [Column("email", label="Email")]

    def records(self, *, search: str = "") -> Any:
        return clients(search=search)

    def create(self, values: dict[str, Any], user: Any) -> Any:
        return save_client(values=values, user=user)


CLIENT_CHOOSER = ClientChooserViewSet()


def client_widget() -> Any:
    """Return the widget, without a link to the client's own page, which is there only while invoicing is on."""
    return CLIENT_CHOOSER.widget_class(show_edit_link=False)
