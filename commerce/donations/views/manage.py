"""The page of a recurring donation, found by the signed link in emails, and what its donor can do. A GET changes nothing."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from cms_api.core.errors import Invalid
from commerce.common.selectors import format_money
from commerce.common.types.amounts import typed_amount
from commerce.common.views import add_refusals, errors_of
from commerce.payments.selectors import is_ready
from commerce.payments.views import redirect_to_payment

from .. import services
from ..models import Donation, RecurringDonation
from ..resources import mails, pages
from ..selectors.changes import amounts_of, find_change
from ..selectors.donations import DONATION_LINK, MANAGE_LINK, fee_in_use, unpaid_renewal, years_of
from ..types.donations import PAYABLE, DonationStatus, RecurringStatus
from .forms import NewAmountForm, fee_of

#: Payments on the page, the latest ones.
SHOWN_PAYMENTS = 60
NOTHING_DUE = "This donation doesn't wait for a payment."
CHANGED = "Your donation is now {}."
CONFIRM = "Check your email: we've sent you a link to confirm your new donation of {}."
CANCELLED = "Your recurring donation has been cancelled. We've emailed you a confirmation."


#: For views whose URL has the token of a recurring donation.
of_recurring = MANAGE_LINK.opening(lambda: RecurringDonation.objects.select_related("campaign", "method"))


@require_safe
@of_recurring
def show(request: HttpRequest, recurring: RecurringDonation) -> HttpResponse:
    due, token = _due(recurring), MANAGE_LINK.token(recurring)
    shown = {
        **_summary(recurring),
        "status": pages.recurring_status_text(recurring),
        "next_on": mails.day(recurring.next_on),
        "tribute": mails.tribute(recurring),
        "sums": mails.sums_of(recurring),
        "due": format_money(due.total) if due else "",
        "is_processing": due is not None and due.is_processing,
        "can_pay": due is not None and not due.is_processing and is_ready(),
        "can_change": recurring.status != RecurringStatus.CANCELLED,
        "payments": [_payment(each) for each in recurring.donations.all()[:SHOWN_PAYMENTS]],
        "statements": [
            (
                year,
                reverse("recurring_statement_pdf", args=[token, year]),
                reverse("recurring_statement", args=[token, year]),
            )
            for year in years_of(Donation.objects.filter(recurring=recurring))
        ],
    }
    return render(request, "donations/manage.html", shown)


def _due(recurring: RecurringDonation) -> Donation | None:
    """Return the donation that waits for its payment, if the donor can still pay it."""
    if recurring.is_stopped:
        return None
    due = unpaid_renewal(recurring)
    # One whose date has just come is charged in a moment.
    is_charged = due is not None and due.charge_at is not None and recurring.status == RecurringStatus.ACTIVE
    return None if is_charged else due


def _payment(donation: Donation) -> dict[str, Any]:
    is_paid = donation.status in {DonationStatus.PAID, DonationStatus.REFUNDED}
    receipt = reverse("donation_receipt", args=[DONATION_LINK.token(donation)]) if is_paid else ""
    return {
        "day": donation.paid_at or donation.created_at,
        "number": donation.number or "",
        "amount": format_money(donation.total),
        "status": pages.status_text(donation),
        "receipt": receipt,
    }


@require_POST
@of_recurring
def pay(request: HttpRequest, recurring: RecurringDonation) -> HttpResponse:
    """Leads to the payment page of the donation that is due; the card used there is charged from then on."""
    page, due = MANAGE_LINK.path(recurring), _due(recurring)
    if due is None:
        messages.error(request, NOTHING_DUE)
        return redirect(page)
    return redirect_to_payment(request, payable=PAYABLE, record_id=due.pk, back=page)


@require_http_methods(["GET", "HEAD", "POST"])
@of_recurring
def change_amount(request: HttpRequest, recurring: RecurringDonation) -> HttpResponse:
    """Asks for another amount, which is charged from the next date on."""
    page = MANAGE_LINK.path(recurring)
    if recurring.status in {RecurringStatus.PENDING, RecurringStatus.CANCELLED}:
        return redirect(page)
    amount = typed_amount(recurring.amount_cents, recurring.currency)
    initial = {"other_amount": amount, "covers_fee": recurring.fee_cover_cents > 0}
    form = NewAmountForm(request.POST if request.method == "POST" else None, initial=initial, currency=recurring.currency)
    if form.is_valid():
        cents = form.cleaned_data["amount_cents"]
        # Without a fee to cover, the form does not ask.
        asks = not fee_in_use(recurring.currency).is_none
        covers_fee = form.cleaned_data["covers_fee"] if asks else recurring.fee_cover_cents > 0
        try:
            change = services.ask_for_amount(recurring=recurring, amount_cents=cents, covers_fee=covers_fee)
        except Invalid as refusal:
            add_refusals(form, refusal.errors, {"amount_cents": "other_amount"})
        else:
            rhythm = mails.rhythm(change.recurring, change.asked)
            messages.success(request, (CONFIRM if change.asked else CHANGED).format(rhythm))
            return redirect(page)
    errors = errors_of(form)
    shown = {**_summary(recurring), "form": form, "errors": errors, "fee": fee_of(form.chosen_cents, recurring)}
    return render(request, "donations/amount.html", shown, status=422 if errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def apply_change(request: HttpRequest, change: str) -> HttpResponse:
    """Asks whether a changed amount is meant, which a link in an email confirms or undoes, and applies it."""
    asked = find_change(change)
    if asked is None:
        return render(request, "donations/change_over.html", status=404)
    if request.method == "POST":
        try:
            changed = services.apply_change(change=asked)
        except Invalid as refusal:
            messages.error(request, refusal.message)
        else:
            messages.success(request, CHANGED.format(mails.rhythm(changed)))
        return redirect(MANAGE_LINK.path(asked.recurring))
    page, new = MANAGE_LINK.path(asked.recurring), mails.rhythm(asked.recurring, asked.to)
    if asked.recurring.status == RecurringStatus.CANCELLED:
        return redirect(page)
    if amounts_of(asked.recurring) == asked.to:
        # The link has been followed before.
        messages.success(request, CHANGED.format(new))
        return redirect(page)
    return render(request, "donations/change.html", {**_summary(asked.recurring), "new": new})


@require_http_methods(["GET", "HEAD", "POST"])
@of_recurring
def cancel(request: HttpRequest, recurring: RecurringDonation) -> HttpResponse:
    """Asks for confirmation, then cancels."""
    page = MANAGE_LINK.path(recurring)
    if request.method == "POST":
        if services.cancel_recurring(recurring=recurring):
            messages.success(request, CANCELLED)
        return redirect(page)
    if recurring.status == RecurringStatus.CANCELLED:
        return redirect(page)
    return render(request, "donations/cancel.html", _summary(recurring))


def _summary(recurring: RecurringDonation) -> dict[str, Any]:
    """Return what all pages say of a recurring donation, and the addresses of the others."""
    token = MANAGE_LINK.token(recurring)
    return {
        "recurring": recurring,
        "page": MANAGE_LINK.path(recurring),
        "paths": {name: reverse(f"recurring_{name}", args=[token]) for name in ("pay", "amount", "cancel")},
        "rhythm": mails.rhythm(recurring),
        "purpose": mails.purpose(recurring),
    }
