"""The donations of an account."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from commerce.common.selectors import format_money
from commerce.common.views import account_records

from ..models import Donation
from ..resources import mails, pages
from ..selectors.donations import DONATION_LINK, MANAGE_LINK, donations_of, recurring_of, years_of

#: Recurring donations on the page, the latest ones.
SHOWN_DONATIONS = 20


@login_required
@require_safe
def account_donations(request: HttpRequest) -> HttpResponse:
    """The donations of the signed-in visitor, newest first, and above them the recurring ones."""
    found = donations_of(request.user)

    def row(each: Donation) -> tuple[Any, ...]:
        name = ", ".join(filter(None, (each.number or "Donation", mails.purpose(each))))
        day = each.paid_at or each.created_at
        return name, DONATION_LINK.path(each), day, format_money(each.total), pages.status_text(each)

    recurring = [
        {
            "name": mails.rhythm(each),
            "purpose": mails.purpose(each),
            "path": MANAGE_LINK.path(each),
            "next_on": each.next_on,
            "status": pages.recurring_status_text(each),
        }
        for each in recurring_of(request.user)[:SHOWN_DONATIONS]
    ]
    statements = [(year, reverse("donations_account_statement", args=[year])) for year in years_of(found)]
    more = {"recurring": recurring, "statements": statements}
    return account_records(request, "donations/account_donations.html", found, row, more)
