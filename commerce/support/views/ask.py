"""The form that opens a ticket, and the thanks after it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_safe

from cms_api.auth.services import visitors
from commerce.common.views import known_visitor, visitor_form

from ..resources.pages import page_meta
from ..services import open_ticket
from ..types.tickets import Channel
from .forms import PLACES, TicketForm

PURPOSE = "support"
#: Tickets of one address in an hour.
TICKETS_PER_HOUR = 20


@cache_control(private=True, no_store=True)
@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: HttpRequest) -> HttpResponse:
    """The form for a request."""
    is_sent = request.method == "POST"
    # A link to the form may choose the category.
    initial = {"category": request.GET.get("category", ""), **known_visitor(request)}
    form = TicketForm(request.POST if is_sent else None, request.FILES if is_sent else None, initial=initial)
    return visitor_form(
        request,
        form,
        "support/ask.html",
        purpose=PURPOSE,
        carry_out=lambda visit: _open(request, form, visit),
        context={"meta": page_meta()},
        places=PLACES,
    )


def _open(request: HttpRequest, form: TicketForm, visit: visitors.Visit) -> HttpResponse:
    """Open the ticket; that of a robot is quarantined, and robots get the same thanks. Raises Stale and the rest."""
    values = form.values()
    reason = visitors.judge(purpose=PURPOSE, visit=visit, texts=[values["subject"], values["message"]])
    visitors.limit(purpose=f"{PURPOSE}:opened", address=visit.address, an_hour=TICKETS_PER_HOUR)
    user = request.user if request.user.is_authenticated else None
    open_ticket(values=values, channel=Channel.WEBSITE, user=user, files=form.cleaned_data["attachments"], spam_reason=reason)
    return redirect("support_thanks")


@require_safe
def thanks(request: HttpRequest) -> HttpResponse:
    """The page after a request. It names no ticket: its link goes to the address, which somebody else may have entered."""
    return render(request, "support/thanks.html")
