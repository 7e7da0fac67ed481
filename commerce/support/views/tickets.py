"""The page of a ticket, found by the signed link in emails: the requester reads, answers, and says that it is solved."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from cms_api.auth.selectors import client_ip
from cms_api.auth.services import visitors
from cms_api.core.errors import Invalid, TooManyAttempts
from cms_api.core.not_found import found_or_404
from cms_api.forms.types.inputs import FLOOD_NOTICE
from cms_api.http.downloads import download
from commerce.common.views import add_refusals, errors_of

from ..models import Attachment, Message, Ticket
from ..resources import pages
from ..selectors.links import find_by_ticket_token
from ..selectors.tickets import get_ticket, have_same_requester, public_messages
from ..services import reply_as_customer, set_status
from ..types.tickets import TicketStatus
from .forms import PLACES, ReplyForm

#: Messages that one address sends in an hour.
MESSAGES_PER_HOUR = 30
SENT = "We've received your message."
CONTINUED = "We've received your message. It continues in a new request, {number}."
SOLVED = "Great! We've marked this request as solved."
#: The requester can say of these that they are solved.
UNSOLVED = (TicketStatus.OPEN, TicketStatus.PENDING)


def of_ticket(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Wrap a view whose URL has the token of a ticket."""

    @wraps(view)
    def answer(request: HttpRequest, token: str, **parts: int) -> HttpResponseBase:
        ticket = found_or_404(find_by_ticket_token(token))
        return view(request, ticket, token, **parts)

    return answer


@require_http_methods(["GET", "HEAD", "POST"])
@of_ticket
def show(request: HttpRequest, ticket: Ticket, token: str) -> HttpResponse:
    """The public messages, and the form for another one."""
    into = _merged_into(ticket)
    if into is not None and request.method != "POST":
        return redirect(pages.ticket_path(into))
    is_sent = request.method == "POST"
    form = ReplyForm(request.POST if is_sent else None, request.FILES if is_sent else None)
    notice, status = "", 200
    if form.is_valid():
        try:
            return _redirect_to_reply(request, ticket, _reply(request, ticket, form))
        except TooManyAttempts:
            notice, status = FLOOD_NOTICE, 429
        except Invalid as refusal:
            add_refusals(form, refusal.errors, PLACES)
    errors = errors_of(form)
    shown = {
        "ticket": ticket,
        "token": token,
        "status": pages.status_text(ticket),
        "thread": public_messages(ticket),
        "form": form,
        "errors": errors,
        "notice": notice,
        "can_solve": ticket.status in UNSOLVED,
        "rating_path": pages.rating_path(ticket) if pages.can_rate(ticket) else "",
    }
    return render(request, "support/ticket.html", shown, status=max(status, 422 if notice or errors else 200))


def _merged_into(ticket: Ticket) -> Ticket | None:
    """Return the ticket that has the messages of a merged one, if it is the same requester's."""
    into = get_ticket(ticket.merged_into_id) if ticket.merged_into_id else None
    return into if into is not None and have_same_requester(into, ticket) and not into.is_spam else None


def _reply(request: HttpRequest, ticket: Ticket, form: ReplyForm) -> Message:
    visitors.limit(purpose="support:reply", address=client_ip(request), an_hour=MESSAGES_PER_HOUR)
    user = request.user if request.user.is_authenticated else None
    given: dict[str, Any] = form.cleaned_data
    # By name: a merged ticket passes it on to one that may be somebody else's.
    return reply_as_customer(
        ticket=ticket, message=given["message"], email=ticket.email, name=ticket.name, user=user, files=given["attachments"]
    )


def _redirect_to_reply(request: HttpRequest, ticket: Ticket, message: Message) -> HttpResponse:
    """Lead to the ticket with the message, if it is the same requester's."""
    found = message.ticket
    is_own = have_same_requester(found, ticket)
    is_new = found.follows_id is not None and found.pk not in {ticket.pk, ticket.merged_into_id}
    messages.success(request, CONTINUED.format(number=found.number) if is_own and is_new else SENT)
    return redirect(pages.ticket_path(found if is_own else ticket))


@require_POST
@of_ticket
def solve(request: HttpRequest, ticket: Ticket, token: str) -> HttpResponse:
    """Resolves a ticket."""
    # Staff may be closing it at this moment.
    if set_status(ticket=ticket, status=TicketStatus.RESOLVED, only_from=UNSOLVED).status == TicketStatus.RESOLVED:
        messages.success(request, SOLVED)
    return redirect(pages.ticket_path(ticket))


@require_safe
@of_ticket
def download_file(request: HttpRequest, ticket: Ticket, token: str, file: int) -> HttpResponseBase:
    """A file of a public message."""
    found = get_object_or_404(Attachment, pk=file, message__in=public_messages(ticket))
    return download(request, found.file, found.filename)
