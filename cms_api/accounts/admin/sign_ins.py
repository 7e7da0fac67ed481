"""The list of sign-ins, of staff and of site accounts, for admins."""

from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from wagtail.admin.ui.tables import Column
from wagtail.permissions import register_permission_policy

from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn, StatusColumn
from cms_api.adminkit.permissions import AdminsOnly
from cms_api.adminkit.viewset import RecordViewSet

from ..models import SignIn
from ..selectors import site_accounts

register_permission_policy(SignIn, AdminsOnly(SignIn))

RESULTS = (("succeeded", "Succeeded"), ("failed", "Failed"))
PEOPLE = (("staff", "Staff"), ("members", "Site accounts"), ("unknown", "Unknown names"))


def with_result(found: QuerySet[SignIn], name: str, result: str) -> QuerySet[SignIn]:
    return found.filter(succeeded=result == "succeeded")


def of_people(found: QuerySet[SignIn], name: str, people: str) -> QuerySet[SignIn]:
    if people == "unknown":
        return found.filter(name="")
    is_member = Exists(site_accounts().filter(pk=OuterRef("user")))
    return found.filter(is_member) if people == "members" else found.exclude(name="").exclude(is_member)


class SignInViewSet(RecordViewSet):
    model = SignIn
    icon = "history"
    menu_label = "Sign-ins"
    name = "sign_ins"
    url_prefix = "sign-ins"
    pages = ()
    ordering = ("-at", "-id")
    search_fields = ["name", "network"]
    list_display = (
        MomentColumn("at", label="When"),
        Column("name", label="Account", accessor=str, sort_key="name"),
        StatusColumn(
            "succeeded",
            label="Result",
            accessor=lambda found: "Succeeded" if found.succeeded else "Failed",
            tone=lambda found: "positive" if found.succeeded else "warning",
        ),
        Column("network", label="Network"),
        Column("browser", label="Browser"),
    )
    csv = {"When": "at", "Account": str, "Succeeded": "succeeded", "Network": "network", "Browser": "browser"}
    filters = {
        "result": filters.choice(RESULTS, label="Result", method=with_result),
        "people": filters.choice(PEOPLE, label="Accounts", method=of_people),
        "at": filters.date_range("When"),
    }

    def records(self) -> QuerySet[Any]:
        return SignIn.objects.all()
