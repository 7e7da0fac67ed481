"""Webhooks in the admin: subscriptions with their latest deliveries, tests and secrets."""

from typing import Any

from django import forms
from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.utils import timezone
from wagtail.admin.panels import FieldPanel
from wagtail.admin.ui.tables import Column
from wagtail.permissions import register_permission_policy

from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn, RecordColumn, SwitchColumn, local_date, person
from cms_api.adminkit.permissions import AdminsOnly
from cms_api.adminkit.reveal import RevealAddView
from cms_api.adminkit.transitions import Transition
from cms_api.adminkit.views import InspectView
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.outbound.addresses import MAX_URL

from ..models import Delivery, Endpoint
from ..services import endpoints as services
from ..services.sending import Outcome
from ..services.testing import send_test
from ..types import ALL, FAILURE_BUDGET, DeliveryStatus
from .forms import SampleForm, WebhookForm

SHOWN_EVENTS = 2
SHOWN_DELIVERIES = 10
URL_INPUT = forms.URLInput(attrs={"maxlength": MAX_URL, "autocomplete": "off"})

register_permission_policy(Endpoint, AdminsOnly(Endpoint))


def summary(endpoint: Endpoint) -> str:
    """Return the events on one line: `form.submitted, order.paid and 4 more`."""
    if ALL in endpoint.events:
        return "All events"
    more = len(endpoint.events) - SHOWN_EVENTS
    return ", ".join(endpoint.events[:SHOWN_EVENTS]) + (f" and {more} more" if more > 0 else "")


def in_state(endpoints: QuerySet[Endpoint], name: str, state: str) -> QuerySet[Endpoint]:
    return endpoints.filter(enabled=state == "enabled")


def is_rotating(endpoint: Endpoint) -> bool:
    """Return whether the previous secret still signs."""
    until = endpoint.previous_secret_until
    return until is not None and until > timezone.now()


def disable_warning(endpoint: Endpoint) -> str:
    waiting = Delivery.objects.filter(endpoint=endpoint, status=DeliveryStatus.PENDING).count()
    cancelled = f"{waiting} pending deliver{'y is' if waiting == 1 else 'ies are'} cancelled, and can be resent later. "
    return f"{cancelled if waiting else ''}Events that happen while the webhook is disabled are not sent later."


def rotate_warning(endpoint: Endpoint) -> str:
    header = f"{settings.SIGNATURE_HEADER_PREFIX}-Signature"
    paragraphs = [
        "The new secret is shown once, on the next page.",
        "For 24 hours both secrets sign webhook-signature, so that the receiver can change over. "
        f"{header} has one signature only, by the new secret.",
    ]
    if is_rotating(endpoint):
        paragraphs.append("The previous rotation was less than 24 hours ago: that secret stops signing now.")
    return "\n\n".join(paragraphs)


def last_answer(endpoint: Endpoint) -> str:
    code = f"Answered {endpoint.last_response_code}" if endpoint.last_response_code else "No answer"
    return code if endpoint.last_delivery_at else ""


class EndpointInspectView(InspectView):
    """A subscription with its latest deliveries and, after a test, the receiver's response."""

    outcome: Outcome | None = None

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        wanted = [kind for kind in self.object.events if kind != ALL]
        kwargs.setdefault("form", SampleForm(initial={"kind": next(iter(wanted), None)}, subscribed=wanted))
        deliveries = self.object.deliveries.select_related("event")[:SHOWN_DELIVERIES]
        return super().get_context_data(**kwargs, deliveries=deliveries, outcome=self.outcome)


class TestView(EndpointInspectView):
    """Sends a sample at once and shows the receiver's response."""

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return redirect(self.viewset.url(self.object))

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        form = SampleForm(request.POST, subscribed=self.object.events)
        if form.is_valid():
            self.outcome = send_test(endpoint=self.object, kind=form.cleaned_data["kind"])
        return self.render_to_response(self.get_context_data(form=form))


class WebhookViewSet(RecordViewSet):
    model = Endpoint
    icon = "link-external"
    menu_label = "Webhooks"
    pages = ("add", "edit", "inspect", "delete", "history")
    search_fields = ["url", "description"]
    list_display = (
        RecordColumn("url", label="URL"),
        Column("events", accessor=summary),
        SwitchColumn("enabled", sort_key="enabled", note=lambda endpoint: endpoint.disabled_reason),
        Column("failure_count", label="Consecutive failures", sort_key="failure_count"),
        MomentColumn("last_delivery_at", label="Last delivery", empty="Never", note=last_answer),
        MomentColumn("created_at", label="Created"),
    )
    filters = {"state": filters.choice([("enabled", "Enabled"), ("disabled", "Disabled")], label="State", method=in_state)}
    form = WebhookForm
    panels = (
        FieldPanel("url", heading="URL", help_text="Public HTTPS URL", widget=URL_INPUT),
        FieldPanel("description", help_text="For example the integration that receives the events."),
        FieldPanel("events"),
    )
    add_view_class = RevealAddView
    secret_template_name = "webhooks/secret.html"
    inspect_view_class = EndpointInspectView
    inspect_template_name = "webhooks/inspect.html"
    delete_consequence = "Its log is deleted too, and pending deliveries are not sent. This cannot be undone."
    transitions = (
        Transition(
            "enable",
            "Enable",
            lambda endpoint, user, _: services.enable_endpoint(endpoint=endpoint, user=user),
            "Webhook “{record}” enabled.",
            "The webhook is already enabled.",
            offered=lambda endpoint: not endpoint.enabled,
            confirm="The count of failures starts at 0. Cancelled deliveries stay in the log and can be resent from there.",
        ),
        Transition(
            "disable",
            "Disable",
            lambda endpoint, user, _: services.disable_endpoint(endpoint=endpoint, reason=services.BY_A_PERSON, user=user),
            "Webhook “{record}” disabled.",
            "The webhook is already disabled.",
            offered=lambda endpoint: endpoint.enabled,
            serious=True,
            confirm=disable_warning,
        ),
        Transition(
            "rotate",
            "Rotate secret",
            lambda endpoint, user, _: services.rotate_secret(endpoint=endpoint, user=user),
            "Secret rotated",
            confirm=rotate_warning,
            reveals=True,
        ),
    )

    def create(self, values: dict[str, Any], user: Any) -> Endpoint:
        return services.create_endpoint(**values, user=user)

    def update(self, record: Endpoint, values: dict[str, Any], user: Any) -> Endpoint:
        return services.update_endpoint(endpoint=record, **values, user=user)

    def delete(self, record: Endpoint, user: Any) -> None:
        services.delete_endpoint(endpoint=record, user=user)

    def facts(self, record: Endpoint) -> dict[str, Any]:
        previous = f"Valid until {local_date(record.previous_secret_until)}" if is_rotating(record) else "None"
        return {
            "URL": record.url,
            "Description": record.description,
            "Events": "All events, including future types" if ALL in record.events else ", ".join(record.events),
            "State": "Enabled" if record.enabled else "Disabled",
            "Consecutive failures": f"{record.failure_count} (disabled after {FAILURE_BUDGET})",
            "Last delivery": local_date(record.last_delivery_at) or "Never",
            "Response code": record.last_response_code,
            "Previous secret": previous,
            "Created by": person(record.created_by) or "The API, or a deleted user",
            "Created": record.created_at,
        }

    def get_extra_urlpatterns(self) -> list[URLPattern]:
        return [path("test/<id:pk>/", self.construct_view(TestView, **self.get_inspect_view_kwargs()), name="test")]
