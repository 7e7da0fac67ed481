"""The list of site accounts: renamed, deactivated and deleted, but never given a role."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from wagtail.admin.panels import FieldPanel
from wagtail.admin.ui.tables import Column
from wagtail.permissions import register_permission_policy

from cms_api.adminkit import filters
from cms_api.adminkit.bulk_actions import Bulk
from cms_api.adminkit.columns import MomentColumn, RecordColumn, SwitchColumn
from cms_api.adminkit.forms import RecordForm
from cms_api.adminkit.permissions import AdminsOnly
from cms_api.adminkit.transitions import Transition, calling
from cms_api.adminkit.viewset import RecordViewSet

from ..models import SiteAccount
from ..selectors import has_confirmed_address, site_accounts
from ..services import delete_account, rename_member, set_active
from ..types import MAX_NAME

register_permission_policy(SiteAccount, AdminsOnly(SiteAccount))


class AccountForm(RecordForm):
    name = forms.CharField(required=False, max_length=MAX_NAME)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["name"] = self.instance.get_full_name()


DELETE = Bulk(
    "delete",
    "Delete",
    "deleted",
    "Their memberships and points are deleted too. This cannot be undone.",
    each=calling(delete_account, "account"),
    permission="delete",
    serious=True,
)


class SiteAccountViewSet(RecordViewSet):
    model = SiteAccount
    icon = "group"
    menu_label = "Site accounts"
    name = "site_accounts"
    url_prefix = "site-accounts"
    pages = ("inspect", "edit", "delete", "history")
    ordering = ("-date_joined", "-id")
    search_fields = ["email", "first_name", "last_name"]
    list_display = (
        RecordColumn("name", label="Name"),
        Column("email", label="Email", sort_key="email"),
        SwitchColumn("is_active", on="Active", off="Deactivated"),
        MomentColumn("date_joined", label="Joined"),
        MomentColumn("last_login", label="Last sign-in", empty="Never"),
    )
    filters = {"date_joined": filters.date_range("Joined")}
    bulk_actions = (DELETE,)
    form = AccountForm
    panels = (FieldPanel("name"),)
    delete_consequence = "Their membership and points are deleted too. This cannot be undone."
    transitions = (
        Transition(
            "deactivate",
            "Deactivate",
            calling(set_active, "account", active=False),
            "{record} can no longer sign in.",
            offered=lambda account: account.is_active,
            serious=True,
        ),
        Transition(
            "activate",
            "Activate",
            calling(set_active, "account", active=True),
            "{record} can sign in again.",
            offered=lambda account: not account.is_active,
        ),
    )

    def records(self) -> QuerySet[SiteAccount]:
        return site_accounts()

    def update(self, record: SiteAccount, values: dict[str, Any], user: Any) -> SiteAccount:
        rename_member(user=record, name=values["name"])
        return record

    def delete(self, record: SiteAccount, user: Any) -> None:
        delete_account(account=record, user=user)

    def facts(self, record: SiteAccount) -> dict[str, Any]:
        return {
            "Name": record.get_full_name(),
            "Email": record.email,
            "Address": "Confirmed" if has_confirmed_address(record) else "Not confirmed yet",
            "State": "Active" if record.is_active else "Deactivated",
            "Joined": record.date_joined,
            "Last sign-in": record.last_login or "Never",
        }
