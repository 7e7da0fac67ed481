"""Statements of a year.

A link proves only that somebody has made its donation, with any address: anybody can donate in another person's name. So a
link shows its own payments, and the statement of all donations of an address is emailed to that address.
"""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from cms_api.auth.selectors import client_ip
from cms_api.auth.services import visitors
from cms_api.core.errors import TooManyAttempts
from cms_api.forms.types.inputs import FLOOD_NOTICE
from commerce.common.views import pdf_response

from ..models import Donation, RecurringDonation
from ..resources.documents import statement_document, statement_pdf
from ..selectors.donations import DONATION_LINK, MANAGE_LINK, donations_of, paid_in
from ..services.notices import send_statement
from .manage import of_recurring
from .thanks import of_donation

#: Statements that one address asks for in an hour.
STATEMENTS_PER_HOUR = 5
#: Years that dates can be in, with the one after them.
YEARS = range(1, 9999)


@login_required
@require_safe
def pdf_of_account(request: HttpRequest, year: int) -> HttpResponse:
    """All donations of the signed-in visitor in a year, as PDF."""
    own = donations_of(request.user).values("pk")
    return _pdf(_find_paid(year, pk__in=own), year)


@require_safe
@of_recurring
def pdf_of_recurring(request: HttpRequest, recurring: RecurringDonation, year: int) -> HttpResponse:
    """The payments of a recurring donation in a year, as PDF."""
    return _pdf(_find_paid(year, recurring=recurring), year)


@require_POST
@of_recurring
def email_of_recurring(request: HttpRequest, recurring: RecurringDonation, year: int) -> HttpResponse:
    """Emails the donor the statement of all donations of a year."""
    return _email(request, recurring.email, year, back=MANAGE_LINK.path(recurring))


@require_POST
@of_donation
def email_of_donation(request: HttpRequest, donation: Donation, year: int) -> HttpResponse:
    """Emails the donor the statement of all donations of a year."""
    return _email(request, donation.email, year, back=DONATION_LINK.path(donation))


def _find_paid(year: int, **of: Any) -> list[Donation]:
    """Return the donations of a year. Raises Http404 if there are none."""
    found = list(paid_in(year).filter(**of)) if year in YEARS else []
    if not found:
        raise Http404
    return found


def _pdf(donations: Sequence[Donation], year: int) -> HttpResponse:
    return pdf_response(statement_pdf(donations, year).content, f"donations-{year}")


def _email(request: HttpRequest, address: str, year: int, *, back: str) -> HttpResponse:
    found = _find_paid(year, email=address)
    try:
        visitors.limit(purpose="donations:statement", address=client_ip(request), an_hour=STATEMENTS_PER_HOUR)
    except TooManyAttempts:
        messages.error(request, FLOOD_NOTICE)
        return redirect(back)
    send_statement(found[-1], year, statement_document(found, year))
    messages.success(request, f"We've emailed the statement for {year} to {address}.")
    return redirect(back)
