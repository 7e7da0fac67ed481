"""Admin pages that list, create (with a one-time reveal), show and revoke tokens, with history. None edits or deletes one."""

from typing import Any

from django.contrib.auth.models import Permission
from django.db.models import QuerySet
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.timesince import timeuntil
from wagtail.admin.ui.tables import Column, DateColumn, StatusTagColumn, UserColumn
from wagtail.admin.viewsets.model import ModelViewSet
from wagtail.permissions import register_permission_policy

from cms_api.adminkit.permissions import AdminsOnly

from ..models import ApiToken
from . import views
from .forms import TokenFilterSet, TokenForm

register_permission_policy(ApiToken, AdminsOnly(ApiToken))


class MomentColumn(Column):
    """A past or future instant as a relative time, with the exact time in a tooltip; `empty` if there is none."""

    cell_template_name = "tokens/moment_cell.html"

    def __init__(self, name: str, *, empty: str, **options: Any) -> None:
        super().__init__(name, **options)
        self.empty = empty

    def get_cell_context_data(self, instance: ApiToken, parent_context: dict[str, Any]) -> dict[str, Any]:
        context = super().get_cell_context_data(instance, parent_context)
        moment = context["raw_value"]
        coming = moment is not None and moment > timezone.now()
        return context | {"coming": timeuntil(moment) if coming else ""}


class TokenViewSet(ModelViewSet):
    model = ApiToken
    icon = "key"
    menu_label = "API tokens"
    template_prefix = "tokens/"
    add_to_reference_index = False
    copy_view_enabled = False
    inspect_view_enabled = True
    search_fields = ["name"]
    filterset_class = TokenFilterSet
    ordering = "-created_at"
    list_per_page = 50
    list_display = [
        "name",
        Column("last_four", label="Token", accessor=views.shortened, classname="w-whitespace-nowrap"),
        Column("abilities", accessor=views.summary),
        UserColumn("created_by", label="Created by"),
        DateColumn("created_at", label="Created", sort_key="created_at"),
        MomentColumn("last_used_at", label="Last used", sort_key="last_used_at", empty="Never"),
        MomentColumn("expires_at", label="Expires", sort_key="expires_at", empty="Never"),
        StatusTagColumn("state", primary=lambda token: token.state == "active"),
    ]
    index_view_class = views.Index
    add_view_class = views.Create
    delete_view_class = views.Revoke
    history_view_class = views.History
    inspect_view_class = views.Inspect
    inspect_view_fields = [
        "name",
        "last_four",
        "state",
        "abilities",
        "created_by",
        "created_at",
        "last_used_at",
        "expires_at",
        "revoked_at",
    ]

    def get_form_class(self, for_update: bool = False) -> type[TokenForm]:
        return TokenForm

    def get_common_view_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        absent = {"edit_url_name": None, "usage_url_name": None}
        return super().get_common_view_kwargs(**absent, **kwargs)

    def get_urlpatterns(self) -> list[URLPattern]:
        return [
            path("", self.index_view, name="index"),
            path("results/", self.index_results_view, name="index_results"),
            path("new/", self.add_view, name="add"),
            path("inspect/<int:pk>/", self.inspect_view, name="inspect"),
            path("revoke/<int:pk>/", self.delete_view, name="delete"),
            path("history/<int:pk>/", self.history_view, name="history"),
            path("history-results/<int:pk>/", self.history_results_view, name="history_results"),
        ]

    def get_permissions_to_register(self) -> QuerySet[Permission]:
        return Permission.objects.none()

    def register_admin_url_finder(self) -> None:
        """Register nothing: tokens have no edit page."""
