"""Pages of a subscription with its latest deliveries and of a delivery with its attempts, and their send actions."""

import json
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import cached_property
from wagtail.admin import messages
from wagtail.admin.views import generic
from wagtail.admin.widgets.button import Button, HeaderButton

from ..models import Delivery, Endpoint
from ..services.deliveries import resend
from ..services.sending import Outcome, headers, message
from ..services.testing import send_test
from ..types import ALL, FAILURE_BUDGET, DeliveryStatus
from .base import EndpointPage, inspect_url
from .forms import SampleForm
from .views import actions

SHOWN_DELIVERIES = 10

LABELS = {
    "url": "URL",
    "enabled": "Status",
    "failure_count": "Consecutive failures",
    "last_delivery_at": "Last delivery",
    "last_response_code": "Response code",
    "created_at": "Created",
    "previous_secret_until": "Previous secret",
}


def in_words(moment: datetime) -> str:
    """Return the instant in the user's timezone, formatted as in the templates."""
    return f"{timezone.localtime(moment):%Y-%m-%d %H:%M:%S}"


class Inspect(generic.InspectView):
    """A subscription and its deliveries; also shows the response to a test."""

    object: Endpoint
    template_name = "webhooks/inspect.html"
    outcome: Outcome | None = None

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        wanted = [kind for kind in self.object.events if kind != ALL]
        kwargs.setdefault("form", SampleForm(initial={"kind": next(iter(wanted), None)}, subscribed=wanted))
        return super().get_context_data(
            **kwargs,
            deliveries=self.object.deliveries.select_related("event")[:SHOWN_DELIVERIES],
            outcome=self.outcome,
        )

    def get_field_label(self, field_name: str, field: Any) -> str:
        return LABELS.get(field_name) or super().get_field_label(field_name, field)

    def get_events_display_value(self) -> str:
        return "All events, including future types" if ALL in self.object.events else ", ".join(self.object.events)

    def get_description_display_value(self) -> str:
        return self.object.description or "None"

    def get_enabled_display_value(self) -> str:
        return "Enabled" if self.object.enabled else "Disabled"

    def get_failure_count_display_value(self) -> str:
        return f"{self.object.failure_count} (disabled after {FAILURE_BUDGET})"

    def get_last_delivery_at_display_value(self) -> str:
        return in_words(self.object.last_delivery_at) if self.object.last_delivery_at else "Never"

    def get_created_at_display_value(self) -> str:
        return in_words(self.object.created_at)

    def get_last_response_code_display_value(self) -> str:
        return str(self.object.last_response_code or "None")

    def get_created_by_display_value(self) -> str:
        return str(self.object.created_by or "The API, or a deleted user")

    def get_previous_secret_until_display_value(self) -> str:
        until = self.object.previous_secret_until
        return f"Valid until {in_words(until)}" if until and until > timezone.now() else "None"

    @cached_property
    def header_buttons(self) -> list[HeaderButton]:
        return [HeaderButton(label, url=url, icon_name=icon) for label, url, icon in actions(self.object)[:1]]

    @cached_property
    def header_more_buttons(self) -> list[Button]:
        found = actions(self.object)[1:]
        return [Button(label, url=url, icon_name=icon, priority=order) for order, (label, url, icon) in enumerate(found)]


class SendTest(Inspect):
    """Sends a sample at once and shows the receiver's response."""

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return redirect(inspect_url(self.object))

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        form = SampleForm(request.POST, subscribed=self.object.events)
        if form.is_valid():
            self.outcome = send_test(endpoint=self.object, kind=form.cleaned_data["kind"])
        return self.render_to_response(self.get_context_data(form=form))


class DeliveryPage(EndpointPage):
    """A delivery and the response to each attempt."""

    page_title = "Delivery"
    template_name = "webhooks/delivery.html"
    delivery: Delivery

    def get_object(self) -> Endpoint:
        self.delivery = get_object_or_404(Delivery.objects.select_related("endpoint", "event"), pk=self.kwargs["pk"])
        return self.delivery.endpoint

    def get_page_subtitle(self) -> str:
        return f"{self.delivery.pk}, {self.delivery.event.kind}"

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        return [*super().get_breadcrumbs_items()[:-1], {"url": "", "label": str(self.delivery)}]

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        delivery, kind = self.delivery, self.delivery.event.kind
        body = message(delivery)
        sent = headers(endpoint=self.object, kind=kind, delivery_id=delivery.pk, body=body, now=timezone.now())
        return super().get_context_data(
            **kwargs,
            delivery=delivery,
            body=json.dumps(json.loads(body), indent=2, ensure_ascii=False),
            headers=list(sent),
            attempts=delivery.log.all(),
            waiting=delivery.status == DeliveryStatus.PENDING,
        )


class Resend(DeliveryPage):
    """Makes one more attempt due; the sender picks it up at once."""

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return self._back()

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not self.object.enabled:
            messages.error(request, "This webhook is disabled. Enable it first.")
        elif self.delivery.status == DeliveryStatus.PENDING:
            messages.warning(request, "This delivery is still pending.")
        else:
            resend(delivery=self.delivery)
            messages.success(request, "The delivery will be resent shortly. Reload the page to see the response.")
        return self._back()

    def _back(self) -> HttpResponse:
        return redirect(reverse("webhooks:delivery", args=[self.delivery.pk]))
