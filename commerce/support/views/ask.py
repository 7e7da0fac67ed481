"""The form that opens a ticket, and the thanks after it."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_safe

from cms_api.auth.selectors import client_ip
from cms_api.auth.services import visitors
from cms_api.core.errors import Invalid, TooManyAttempts
from cms_api.forms.types.inputs import FLOOD_NOTICE, STALE_NOTICE, STAMP
from commerce.common.views import add_refusals, errors_of

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
    form = TicketForm(request.POST if is_sent else None, request.FILES if is_sent else None, initial=_get_initial(request))
    notice, status = "", 200
    if form.is_valid():
        try:
            _open(request, form)
            return redirect("support_thanks")
        except visitors.Stale:
            notice = STALE_NOTICE
        except TooManyAttempts:
            notice, status = FLOOD_NOTICE, 429
        except Invalid as refusal:
            add_refusals(form, refusal.errors, PLACES)
    errors = errors_of(form)
    shown = {
        "form": form,
        "errors": errors,
        "notice": notice,
        "meta": page_meta(),
        # After a mistake, the form keeps the stamp of when it was first shown.
        "stamp": ("" if notice else request.POST.get(STAMP, "")) or visitors.stamp(PURPOSE),
    }
    response = render(request, "support/ask.html", shown, status=max(status, 422 if notice or errors else 200))
    if status == 429:
        response.headers["Retry-After"] = "3600"
    return response


def _get_initial(request: HttpRequest) -> dict[str, Any]:
    """Return what an account, or a link to the form, fills in."""
    user, known = request.user, {"category": request.GET.get("category", "")}
    return {**known, "name": user.get_full_name(), "email": user.email} if user.is_authenticated else known


def _open(request: HttpRequest, form: TicketForm) -> None:
    """Open the ticket; that of a robot is quarantined, and robots get the same thanks. Raises Stale and the rest."""
    visit = visitors.Visit(client_ip(request), request.POST.get(visitors.HONEYPOT, ""), request.POST.get(STAMP, ""))
    values = form.values()
    reason = visitors.judge(purpose=PURPOSE, visit=visit, texts=[values["subject"], values["message"]])
    visitors.limit(purpose=f"{PURPOSE}:opened", address=visit.address, an_hour=TICKETS_PER_HOUR)
    user = request.user if request.user.is_authenticated else None
    open_ticket(values=values, channel=Channel.WEBSITE, user=user, files=form.cleaned_data["attachments"], spam_reason=reason)


@require_safe
def thanks(request: HttpRequest) -> HttpResponse:
    """The page after a request. It names no ticket: its link goes to the address, which somebody else may have entered."""
    return render(request, "support/thanks.html")
