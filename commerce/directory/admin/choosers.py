"""The chooser of owners: site accounts, shown to people who may see listings."""

from typing import Any

from django.db.models import Q
from wagtail.admin.ui.tables import Column

from cms_api.accounts.selectors import site_accounts
from cms_api.adminkit.choosers import RecordChooserViewSet

from ..models import Listing


class OwnerChooserViewSet(RecordChooserViewSet):
    model = site_accounts().model
    permission_model = Listing
    name = "listing_owner_chooser"
    url_prefix = "listings/owners/choose"
    register_widget = False
    icon = "user"
    choose_one_text = "Choose an account"
    choose_another_text = "Choose another account"
    more_columns = [Column("email", label="Email")]

    def records(self, *, search: str = "") -> Any:
        found = site_accounts().order_by("first_name", "last_name", "email", "pk")
        for word in search.split()[:5]:
            found = found.filter(Q(first_name__icontains=word) | Q(last_name__icontains=word) | Q(email__icontains=word))
        return found


OWNER_CHOOSER = OwnerChooserViewSet()


def owner_widget() -> Any:
    """Return the widget, without a link to the account's own page, which is there for admins only."""
    return OWNER_CHOOSER.widget_class(show_edit_link=False)
