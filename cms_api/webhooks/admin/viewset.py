"""The URLs of the webhook pages and the columns of their listing."""

from typing import Any

from django.contrib.auth.models import Permission
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import URLPattern, path
from wagtail.admin.menu import MenuItem
from wagtail.admin.ui.tables import Column, DateColumn
from wagtail.admin.viewsets.model import ModelViewSet
from wagtail.permissions import policy_registry, register_permission_policy

from cms_api.adminkit.permissions import AdminsOnly

from ..models import Endpoint
from . import log, views
from .forms import NewWebhookForm, WebhookFilterSet, WebhookForm

register_permission_policy(Endpoint, AdminsOnly(Endpoint))


class WebhooksMenuItem(MenuItem):
    """Shown to superusers only."""

    def is_shown(self, request: HttpRequest) -> bool:
        return policy_registry.get_by_type(Endpoint).user_has_permission(request.user, "change")


class StateColumn(Column):
    cell_template_name = "webhooks/state_cell.html"


class LastDeliveryColumn(Column):
    cell_template_name = "webhooks/last_delivery_cell.html"


class WebhookViewSet(ModelViewSet):
    model = Endpoint
    icon = "link-external"
    menu_label = "Webhooks"
    menu_item_class = WebhooksMenuItem
    template_prefix = "webhooks/"
    create_template_name = edit_template_name = "webhooks/form.html"
    add_to_reference_index = False
    copy_view_enabled = False
    inspect_view_enabled = True
    search_fields = ["url", "description"]
    filterset_class = WebhookFilterSet
    ordering = "-created_at"
    list_per_page = 50
    list_display = [
        "url",
        Column("events", accessor=views.summary),
        StateColumn("enabled", label="Status", sort_key="enabled"),
        Column("failure_count", label="Consecutive failures", sort_key="failure_count"),
        LastDeliveryColumn("last_delivery_at", label="Last delivery", sort_key="last_delivery_at"),
        DateColumn("created_at", label="Created", sort_key="created_at"),
    ]
    index_view_class = views.Index
    add_view_class = views.Create
    edit_view_class = views.Edit
    history_view_class = views.History
    inspect_view_class = log.Inspect
    inspect_view_fields = [
        "url",
        "description",
        "events",
        "enabled",
        "failure_count",
        "last_delivery_at",
        "last_response_code",
        "previous_secret_until",
        "created_by",
        "created_at",
    ]

    def get_form_class(self, for_update: bool = False) -> type[WebhookForm]:
        return WebhookForm if for_update else NewWebhookForm

    def get_common_view_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_common_view_kwargs(**kwargs) | {"usage_url_name": None}

    def get_index_view_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        """Link rows to the details page; editing is one of its actions."""
        return super().get_index_view_kwargs(**kwargs) | {"edit_url_name": None}

    def get_urlpatterns(self) -> list[URLPattern]:
        return [
            path("", self.index_view, name="index"),
            path("results/", self.index_results_view, name="index_results"),
            path("new/", self.add_view, name="add"),
            path("inspect/<int:pk>/", self.inspect_view, name="inspect"),
            path("edit/<int:pk>/", self.edit_view, name="edit"),
            path("enable/<int:pk>/", self.construct_view(views.Enable), name="enable"),
            path("disable/<int:pk>/", self.construct_view(views.Disable), name="disable"),
            path("rotate/<int:pk>/", self.construct_view(views.Rotate), name="rotate"),
            path("delete/<int:pk>/", self.construct_view(views.Delete), name="delete"),
            path("history/<int:pk>/", self.history_view, name="history"),
            path("history-results/<int:pk>/", self.history_results_view, name="history_results"),
            path("test/<int:pk>/", self.construct_view(log.SendTest, **self.get_inspect_view_kwargs()), name="test"),
            path("deliveries/<int:pk>/", self.construct_view(log.DeliveryPage), name="delivery"),
            path("deliveries/<int:pk>/resend/", self.construct_view(log.Resend), name="resend"),
        ]

    def get_permissions_to_register(self) -> QuerySet[Permission]:
        return Permission.objects.none()
