"""The page of one ticket, for the person who has it, and its transfer. A transfer changes the code, so that old links end."""

from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from cms_api.auth.selectors import client_ip
from cms_api.auth.services import visitors
from cms_api.core.errors import Invalid, TooManyAttempts
from cms_api.forms.types.inputs import FLOOD_NOTICE
from commerce.common.types import MAX_EMAIL, MAX_NAME
from commerce.common.views import pdf_response

from ..models import AttendeeTicket
from ..resources.documents import tickets_pdf
from ..selectors.orders import TICKET_LINK
from ..services.transferring import transfer_ticket
from ..types.orders import ADMITS, TicketStatus
from .orders import facts_of, shown_ticket

#: Transfers of one address in an hour; each emails somebody.
TRANSFERS_PER_HOUR = 30


class TransferForm(forms.Form):
    """The new holder of a ticket."""

    name = forms.CharField(
        max_length=2 * MAX_NAME, label="Name", error_messages={"required": "Enter the name of the new holder."}
    )
    email = forms.EmailField(
        max_length=MAX_EMAIL,
        label="Email address",
        help_text="We'll email the ticket to this address.",
        error_messages={"required": "Enter the email address of the new holder."},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # It is about somebody else.
        for each in self.fields.values():
            each.widget.attrs["autocomplete"] = "off"


#: For views whose URL has the token of a ticket.
_of_ticket = TICKET_LINK.opening(lambda: AttendeeTicket.objects.select_related("order"))


@require_safe
@_of_ticket
def show(request: HttpRequest, ticket: AttendeeTicket) -> HttpResponse:
    token, facts = TICKET_LINK.token(ticket), facts_of(ticket.order)
    can_transfer = ticket.status == TicketStatus.VALID and not facts["is_date_cancelled"]
    shown = {
        **facts,
        "each": shown_ticket(ticket, is_own=True),
        "pdf_path": reverse("ticket_pdf", args=[token]) if ticket.status in ADMITS else "",
        "transfer_path": reverse("tickets_transfer", args=[token]) if can_transfer else "",
    }
    return render(request, "ticketing/ticket.html", shown)


@require_safe
@_of_ticket
def pdf(request: HttpRequest, ticket: AttendeeTicket) -> HttpResponse:
    if ticket.status not in ADMITS:
        raise Http404
    return pdf_response(tickets_pdf(ticket.order, [ticket]).content, ticket.code)


@require_http_methods(["GET", "HEAD", "POST"])
@_of_ticket
def transfer(request: HttpRequest, ticket: AttendeeTicket) -> HttpResponse:
    """Asks for the new holder, then for confirmation, then transfers the ticket."""
    page = TICKET_LINK.path(ticket)
    if ticket.status != TicketStatus.VALID:
        return redirect(page)
    form = TransferForm(request.POST if request.method == "POST" else None)
    state = "asked"
    context = {**facts_of(ticket.order), "ticket": ticket, "form": form, "page": page}
    if request.method == "POST" and form.is_valid():
        state = "confirm"
        if "confirm" in request.POST:
            return _transfer(request, ticket, form, context)
    status = 422 if form.errors else 200
    return render(request, "ticketing/transfer.html", {**context, "state": state}, status=status)


def _transfer(request: HttpRequest, ticket: AttendeeTicket, form: TransferForm, context: dict[str, Any]) -> HttpResponse:
    shown, status = {**context, "state": "confirm"}, 200
    try:
        visitors.limit(purpose="ticketing:transfer", address=client_ip(request), an_hour=TRANSFERS_PER_HOUR)
        given = transfer_ticket(ticket=ticket, name=form.cleaned_data["name"], email=form.cleaned_data["email"])
        # The token of this page has ended, so there is nothing to redirect to.
        shown |= {"state": "done", "ticket": given}
    except TooManyAttempts:
        shown["notice"], status = FLOOD_NOTICE, 429
    except Invalid as refusal:
        for key, sentences in refusal.errors.items():
            form.add_error(key if key in form.fields else None, list(sentences))
        shown, status = {**shown, "state": "asked"}, 422
    response = render(request, "ticketing/transfer.html", shown, status=status)
    if status == 429:
        response.headers["Retry-After"] = "3600"
    return response
