"""Deliveries of webhooks in the admin: a list, the attempts of one, and resending."""

import json
from typing import Any

import django_filters
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from wagtail.admin.ui.tables import Column
from wagtail.permissions import register_permission_policy

from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn, RecordColumn, StatusColumn
from cms_api.adminkit.permissions import AdminsOnly
from cms_api.adminkit.transitions import Transition
from cms_api.adminkit.viewset import RecordViewSet

from ..models import Delivery, Endpoint
from ..services.deliveries import resend
from ..services.sending import headers, message
from ..types import DeliveryStatus

register_permission_policy(Delivery, AdminsOnly(Delivery))


def duration(delivery: Delivery) -> str:
    return "" if delivery.duration_ms is None else f"{delivery.duration_ms} ms"


class DeliveryViewSet(RecordViewSet):
    model = Delivery
    icon = "history"
    menu_label = "Webhook deliveries"
    pages = ("inspect",)
    ordering = ("-id",)
    inspect_template_name = "webhooks/delivery.html"
    list_display = (
        RecordColumn("event", label="Event", accessor="event.kind"),
        Column("endpoint", label="Webhook", accessor="endpoint.url"),
        StatusColumn("status", label="Status", primary=lambda delivery: delivery.status == DeliveryStatus.DELIVERED),
        Column("attempts", label="Attempts"),
        Column("response_code", label="Code"),
        Column("duration", label="Duration", accessor=duration),
        MomentColumn("created_at", label="Created", sort_key="id"),
    )
    filters = {
        "endpoint": django_filters.ModelChoiceFilter(queryset=Endpoint.objects.all(), label="Webhook", empty_label="All"),
        "status": filters.choice(DeliveryStatus.choices),
    }
    transitions = (
        Transition(
            "resend",
            "Resend",
            lambda delivery, user, _: resend(delivery=delivery),
            "One more attempt is due now. Reload the page to see its result.",
            "Only a finished delivery of an enabled webhook can be resent.",
            offered=lambda delivery: delivery.endpoint.enabled and delivery.status != DeliveryStatus.PENDING,
        ),
    )

    def records(self) -> QuerySet[Delivery]:
        return Delivery.objects.select_related("endpoint", "event")

    def facts(self, record: Delivery) -> dict[str, Any]:
        return {
            "Event": record.event.kind,
            "Id": record.pk,
            "Webhook": format_html(
                '<a href="{}">{}</a>', reverse("webhooks:inspect", args=[record.endpoint_id]), record.endpoint
            ),
            "Status": f"{record.get_status_display()} {record.error}".strip(),
            "Attempts": str(record.attempts),
            "Created": record.created_at,
            "Next attempt": record.next_attempt_at,
            "Finished": record.finished_at,
        }

    def inspect_context(self, record: Delivery, request: HttpRequest) -> dict[str, Any]:
        body, now = message(record), timezone.now()
        sent = headers(endpoint=record.endpoint, kind=record.event.kind, delivery_id=record.pk, body=body, now=now)
        return {
            "body": json.dumps(json.loads(body), indent=2, ensure_ascii=False),
            "headers": list(sent),
            "attempts": record.log.all(),
        }

    def get_extra_urlpatterns(self) -> list[URLPattern]:
        return [path("<id:pk>/", self.inspect_view, name="inspect")]
