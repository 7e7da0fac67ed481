"""The page after a donation, found by the signed link in emails: how it stands, and its receipt. A GET changes nothing."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from commerce.common.views import pdf_response
from commerce.payments.selectors import is_ready, received_words
from commerce.payments.views import redirect_to_payment
from commerce.sales.resources import refunded_row

from ..models import Donation
from ..resources import mails, pages
from ..resources.documents import receipt_pdf
from ..selectors.campaigns import takes_donations
from ..selectors.donations import DONATION_LINK, MANAGE_LINK, years_of
from ..selectors.links import cause_path
from ..types.donations import PAYABLE, DonationStatus, RecurringStatus

#: For views whose URL has the token of a donation.
of_donation = DONATION_LINK.opening(
    lambda: Donation.objects.select_related("campaign", "fundraiser__campaign", "recurring__campaign")
)


@require_safe
@of_donation
def show(request: HttpRequest, donation: Donation) -> HttpResponse:
    token, recurring = DONATION_LINK.token(donation), donation.recurring
    is_cancelled = recurring is not None and recurring.status == RecurringStatus.CANCELLED
    is_stopped = recurring is not None and recurring.is_stopped
    received = received_words(PAYABLE, donation.pk)
    is_due = donation.is_unpaid and not donation.is_processing and not is_stopped and not received
    shown = {
        "donation": donation,
        "token": token,
        "sums": [*mails.sums_of(donation), *refunded_row(donation)],
        "received": received,
        "status": pages.status_text(donation),
        "purpose": mails.purpose(donation),
        "tribute": mails.tribute(donation),
        "is_due": is_due,
        "can_pay": is_due and is_ready(),
        "has_receipt": donation.paid_at is not None,
        "was_paid": donation.status in {DonationStatus.PAID, DonationStatus.REFUNDED},
        "recurring": recurring,
        "is_cancelled": is_cancelled,
        "begins": recurring is not None and recurring.status == RecurringStatus.PENDING,
        "rhythm": mails.rhythm(recurring) if recurring else "",
        "manage_path": MANAGE_LINK.path(recurring) if recurring else "",
        "cause_path": _cause_path(donation),
        "statements": [
            (year, reverse("donation_statement", args=[token, year]))
            for year in years_of(Donation.objects.filter(pk=donation.pk))
        ],
    }
    return render(request, "donations/thanks.html", shown)


def _cause_path(donation: Donation) -> str:
    """Return the page of what the donation was for, if that still takes donations; else that of the site itself."""
    campaign, fundraiser = donation.campaign, donation.fundraiser
    if takes_donations(campaign, fundraiser):
        return cause_path(campaign, fundraiser)
    return cause_path(campaign if takes_donations(campaign) else None)


@require_POST
@of_donation
def pay(request: HttpRequest, donation: Donation) -> HttpResponse:
    """Leads to the payment page of a donation that is not paid."""
    return redirect_to_payment(request, payable=PAYABLE, record_id=donation.pk, back=DONATION_LINK.path(donation))


@require_safe
@of_donation
def receipt(request: HttpRequest, donation: Donation) -> HttpResponse:
    """The receipt of a paid donation, as PDF."""
    if donation.paid_at is None:
        raise Http404
    return pdf_response(receipt_pdf(donation).content, str(donation.number))
