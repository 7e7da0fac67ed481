"""The waiting list of a sold-out ticket type: joining it, the checkout of offered seats, and leaving it."""

from functools import partial
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from cms_api.auth.services import visitors
from cms_api.core.errors import TooManyAttempts
from cms_api.http.query import whole_number
from commerce.common.views import VisitorForm, known_visitor, visitor_form
from commerce.sales.views import checkout_once

from ..models import TicketType, WaitingEntry
from ..resources import pages
from ..resources.pages import CODE, OCCURRENCE
from ..selectors.events import EventDate, date_at, event_by_id, find_event, sells_tickets
from ..selectors.offers import Offer, offers_for
from ..selectors.orders import OFFER_LINK, WAITING_LINK, waiting_list
from ..services.waiting import join_waiting_list, leave_waiting_list, most_served, read_entry
from ..types.sales import ON_LIST, WaitingStatus
from . import checkout
from .reserve import guess_code, read_entered

PURPOSE = "ticketing:waiting"
#: The parameter of the page that says that somebody is on the list now.
JOINED = "joined"


class WaitingForm(VisitorForm):
    def __init__(self, ticket_type: TicketType, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        least, most = ticket_type.min_per_order, most_served(ticket_type)
        self.fields["quantity"] = forms.IntegerField(
            min_value=least,
            max_value=most,
            initial=least,
            label="Number of tickets",
            widget=forms.NumberInput({"class": "form__input--number", "inputmode": "numeric"}),
            error_messages=dict.fromkeys(
                ("required", "invalid", "min_value", "max_value"), f"Choose between {least} and {most} tickets."
            ),
        )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def wait(request: HttpRequest, slug: str) -> HttpResponse:
    """Puts a visitor on the waiting list of the ticket type and date in the query."""
    event = find_event(slug)
    if event is None or sells_tickets(event.pk) is None:
        raise Http404
    asked = read_entered(request.GET)
    try:
        if asked[CODE]:
            guess_code(request, asked[CODE], event.pk)
    except TooManyAttempts:
        asked[CODE] = ""
    date = date_at(event, asked[OCCURRENCE])
    offer = _offer(date, request.GET.get("type", ""), asked[CODE]) if date is not None else None
    if date is None or offer is None:
        return redirect(pages.tickets_path(event))
    form = WaitingForm(
        offer.ticket_type,
        request.POST if request.method == "POST" else None,
        initial=known_visitor(request),
        auto_id="waiting-%s",
    )
    return visitor_form(
        request,
        form,
        "ticketing/waiting.html",
        purpose=PURPOSE,
        carry_out=partial(_join, request, date, offer, asked[CODE], form),
        context={
            "event": event,
            "tickets_path": f"{pages.tickets_path(event)}?{urlencode({OCCURRENCE: date.start}, safe=':')}",
            "event_path": pages.event_path(event),
            "ticket_type": offer.ticket_type,
            "when": date.words,
            "is_joined": JOINED in request.GET and request.method != "POST",
            "is_open": offer.can_wait,
        },
    )


def _offer(date: EventDate, text: str, code: str) -> Offer | None:
    pk = whole_number(text)
    return next((each for each in offers_for(date, code=code) if each.ticket_type.pk == pk), None)


def _join(
    request: HttpRequest, date: EventDate, offer: Offer, code: str, form: WaitingForm, visit: visitors.Visit
) -> HttpResponse:
    # Mistakes cost nothing of the budget.
    read_entry(offer.ticket_type, **form.cleaned_data)
    # A robot learns nothing.
    if not visitors.judge(purpose=PURPOSE, visit=visit, texts=[form.cleaned_data["name"]]):
        join_waiting_list(
            event=date.event,
            start=date.start,
            ticket_type=offer.ticket_type.pk,
            code=code,
            network=visitors.network_key(visit.address),
            user=request.user,
            **form.cleaned_data,
        )
    query = {**{name: request.GET[name] for name in request.GET}, JOINED: 1}
    return HttpResponseRedirect(f"{request.path}?{urlencode(query)}", status=303)


@require_http_methods(["GET", "HEAD", "POST"])
@checkout_once
def offer(request: HttpRequest, token: str) -> HttpResponse:
    """The checkout of seats that are offered to somebody on the waiting list, until the offer ends."""
    entry = _entry_or_404(OFFER_LINK, token, "reservation")
    if entry.status != WaitingStatus.OFFERED or entry.reservation is None:
        start = entry.start if entry.status in ON_LIST else ""
        return checkout.show_ended(request, is_offer=True, event=event_by_id(entry.ticket_type.event_id), start=start)
    return checkout.answer(request, entry.reservation, is_offer=True)


@require_http_methods(["GET", "HEAD", "POST"])
def leave(request: HttpRequest, token: str) -> HttpResponse:
    """Asks, because mail scanners follow links; a POST takes somebody off the waiting list."""
    entry = _entry_or_404(WAITING_LINK, token)
    was_on = entry.status in ON_LIST
    is_done = request.method == "POST" and leave_waiting_list(entry=entry)
    event = event_by_id(entry.ticket_type.event_id)
    date = date_at(event, entry.start) if event is not None else None
    if is_done:
        state = "done"
    elif entry.status == WaitingStatus.BOUGHT:
        state = "bought"
    elif was_on and request.method == "POST":
        state = "buying"
    else:
        state = "asked" if was_on else "before"
    shown = {"entry": entry, "event": event, "when": date.words if date is not None else "", "state": state}
    return render(request, "ticketing/leave.html", shown)


def _entry_or_404(link: Any, token: str, *related: str) -> WaitingEntry:
    found: WaitingEntry = link.get(waiting_list().select_related("ticket_type", "ticket_type__event", *related), token)
    return found
