"""Pages that list, create, change and delete subscriptions."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import cached_property
from wagtail.admin import messages
from wagtail.admin.ui.components import MediaContainer
from wagtail.admin.ui.menus import MenuItem
from wagtail.admin.views import generic
from wagtail.admin.views.generic.history import HistoryView
from wagtail.admin.widgets.button import HeaderButton

from cms_api.core.errors import Invalid

from ..models import Delivery, Endpoint
from ..services import endpoints as services
from ..types import ALL, DeliveryStatus
from .base import EndpointPage, RevealsSecret, inspect_url
from .forms import NewWebhookForm, OnceForm, WebhookForm

SHOWN_EVENTS = 2


def summary(endpoint: Endpoint) -> str:
    """Return the events on one line: `form.submitted, order.paid and 4 more`."""
    if ALL in endpoint.events:
        return "All events"
    more = len(endpoint.events) - SHOWN_EVENTS
    return ", ".join(endpoint.events[:SHOWN_EVENTS]) + (f" and {more} more" if more > 0 else "")


def actions(endpoint: Endpoint) -> list[tuple[str, str, str]]:
    """Return the actions available for a subscription: label, URL and icon."""
    switch = ("Disable", "disable", "cross") if endpoint.enabled else ("Enable", "enable", "check")
    named = [("Edit", "edit", "edit"), switch, ("Rotate secret", "rotate", "rotate"), ("History", "history", "history")]
    named.append(("Delete", "delete", "bin"))
    return [(label, reverse(f"webhooks:{name}", args=[endpoint.pk]), icon) for label, name, icon in named]


class Index(generic.IndexView):
    @cached_property
    def columns(self) -> list[Any]:
        found: list[Any] = super().columns
        found[0].label = "URL"
        return found

    def get_list_more_buttons(self, instance: Endpoint) -> list[MenuItem]:
        found = [("Inspect", inspect_url(instance), "info-circle"), *actions(instance)]
        return [MenuItem(label, url=url, icon_name=icon, priority=order) for order, (label, url, icon) in enumerate(found)]


class Refusable:
    """A generic form view without a model form, whose service may refuse the input."""

    def get_form_kwargs(self) -> dict[str, Any]:
        kwargs: dict[str, Any] = super().get_form_kwargs()  # type: ignore[misc]
        kwargs.pop("instance", None)
        return kwargs

    def refuse(self, form: WebhookForm, refusal: Invalid) -> HttpResponse:
        """Show the form again, with each error at its field."""
        for field, sentences in refusal.errors.items():
            form.add_error(field, sentences)
        self.produced_error_message = self.get_error_message()  # type: ignore[attr-defined]
        answer: HttpResponse = self.form_invalid(form)  # type: ignore[attr-defined]
        return answer


class Create(RevealsSecret, Refusable, generic.CreateView):
    """Creates a subscription and reveals its secret."""

    def form_valid(self, form: NewWebhookForm) -> HttpResponse:
        self.form = form
        given = form.cleaned_data
        if not self.use_up(given["once"]):
            return self.sent_before(self.request, self.get_success_url())
        try:
            endpoint = services.create_endpoint(
                url=given["url"], events=given["events"], description=given["description"], user=self.request.user
            )
        except Invalid as refusal:
            self.allow_again(given["once"])
            return self.refuse(form, refusal)
        return self.reveal(self.request, endpoint, "Webhook created")


class Edit(Refusable, generic.EditView):
    object: Endpoint

    def get_initial(self) -> dict[str, Any]:
        return {"url": self.object.url, "events": self.object.events, "description": self.object.description}

    def get_side_panels(self) -> Any:
        """Return no side panels: the history has a button."""
        return MediaContainer([])

    @cached_property
    def header_buttons(self) -> list[HeaderButton]:
        return [HeaderButton("Inspect", url=inspect_url(self.object), icon_name="info-circle")]

    @cached_property
    def header_more_buttons(self) -> list[Any]:
        return []

    def form_valid(self, form: WebhookForm) -> HttpResponse:
        self.form = form
        try:
            services.update_endpoint(endpoint=self.object, **form.cleaned_data, user=self.request.user)
        except Invalid as refusal:
            return self.refuse(form, refusal)
        messages.success(self.request, self.get_success_message())
        return redirect(inspect_url(self.object))


class Confirmation(EndpointPage):
    """Confirms on GET, acts on POST."""

    question = ""
    consequence = ""
    yes = ""
    serious = False
    template_name = "webhooks/confirm.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs, view=self, consequence=self.get_consequence())

    def get_consequence(self) -> str:
        return self.consequence

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        raise NotImplementedError


class Enable(Confirmation):
    page_title = "Enable"
    question = "Send events to this webhook again?"
    consequence = "Its failure count starts at 0. Cancelled deliveries stay in its log, where you can resend them."
    yes = "Yes, enable"

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not self.object.enabled:
            services.enable_endpoint(endpoint=self.object, user=request.user)
        messages.success(request, f"Webhook '{self.object}' enabled.")
        return redirect(inspect_url(self.object))


class Disable(Confirmation):
    page_title = "Disable"
    question = "Stop sending events to this webhook?"
    yes = "Yes, disable"
    serious = True

    def get_consequence(self) -> str:
        waiting = Delivery.objects.filter(endpoint=self.object, status=DeliveryStatus.PENDING).count()
        if not waiting:
            return "No deliveries are pending. Events that occur while it is disabled are never sent."
        said = "One pending delivery is" if waiting == 1 else f"{waiting} pending deliveries are"
        return f"{said} cancelled but kept in its log. Events that occur while it is disabled are never sent."

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        services.disable_endpoint(endpoint=self.object, reason=services.BY_A_PERSON, user=request.user)
        messages.success(request, f"Webhook '{self.object}' disabled.")
        return redirect(inspect_url(self.object))


class Rotate(RevealsSecret, Confirmation):
    """Creates a new secret and reveals it once."""

    page_title = "Rotate secret"
    question = "Create a new signing secret?"
    template_name = "webhooks/rotate.html"
    yes = "Yes, rotate"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        until = self.object.previous_secret_until
        return super().get_context_data(
            **kwargs,
            form=OnceForm(),
            prefix=settings.SIGNATURE_HEADER_PREFIX,
            rotated_lately=until is not None and until > timezone.now(),
        )

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        form = OnceForm(request.POST)
        if not form.is_valid():
            return redirect(request.path)
        if not self.use_up(form.cleaned_data["once"]):
            return self.sent_before(request, inspect_url(self.object))
        services.rotate_secret(endpoint=self.object, user=request.user)
        return self.reveal(request, self.object, "Secret rotated", rotated=True)


class Delete(Confirmation):
    page_title = "Delete"
    permission_required = "delete"
    question = "Delete this webhook?"
    consequence = "Its log and pending deliveries are deleted too. This cannot be undone."
    yes = "Yes, delete"
    serious = True

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        services.delete_endpoint(endpoint=self.object, user=request.user)
        messages.success(request, f"Webhook '{self.object}' deleted.")
        return redirect(reverse("webhooks:index"))


class History(HistoryView):
    @cached_property
    def header_buttons(self) -> list[HeaderButton]:
        return [HeaderButton("Inspect", url=inspect_url(self.object), icon_name="info-circle")]
