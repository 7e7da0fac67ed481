"""The page on which a requester rates a ticket, found by the signed link in an email. A GET changes nothing."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from cms_api.core.errors import Invalid
from cms_api.core.not_found import found_or_404
from commerce.common.views import add_refusals, errors_of

from ..models import Ticket
from ..resources import pages
from ..selectors.links import find_by_rating_token
from ..services import rate_ticket
from .forms import RatingForm

THANKS = "Thank you for your rating!"


@require_http_methods(["GET", "HEAD", "POST"])
def rate(request: HttpRequest, token: str) -> HttpResponse:
    """The five ratings and a comment."""
    ticket = found_or_404(find_by_rating_token(token))
    return _rate(request, ticket)


def _rate(request: HttpRequest, ticket: Ticket) -> HttpResponse:
    given = {"rating": ticket.csat_rating, "comment": ticket.csat_comment}
    form = RatingForm(request.POST if request.method == "POST" else None, initial=given)
    if form.is_valid():
        try:
            rate_ticket(ticket=ticket, rating=form.cleaned_data["rating"], comment=form.cleaned_data["comment"])
        except Invalid as refusal:
            add_refusals(form, refusal.errors)
        else:
            messages.success(request, THANKS)
            return redirect(pages.rating_path(ticket))
    errors = errors_of(form)
    shown = {"ticket": ticket, "form": form, "errors": errors, "can_rate": pages.can_rate(ticket)}
    return render(request, "support/rate.html", shown, status=422 if errors else 200)
