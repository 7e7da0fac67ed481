"""Donations as records that are paid for: by donors on a payment page, and by a stored card on the dates of a recurring one."""

from collections.abc import Sequence
from datetime import datetime, time, timedelta
from typing import Any
from uuid import UUID, uuid5

from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core import versions
from cms_api.core.errors import Invalid
from cms_api.flags.selectors import site_timezone
from cms_api.webhooks.services import emit
from commerce.common.services.numbering import next_number
from commerce.common.types.money import Money
from commerce.payments.services import close_payments_later
from commerce.payments.types import Due, Occasion, PaymentStatus
from commerce.sales.services import SalePayable
from commerce.sales.types import Stage

from ..models import Donation, RecurringDonation
from ..selectors.donations import DONATION_LINK, MANAGE_LINK, today
from ..types.donations import PAYABLE, RETRY_DAYS, UNPAID, VERSION, DonationStatus, RecurringStatus
from . import notices

SERIES, FIRST_NUMBER = "DON", 1001
_OCCASIONS = UUID("5d0c0b0a-5c0f-4f6e-9f39-6d2b1c7f3a11")


class Donations(SalePayable[Donation]):
    model, payable, log_prefix, admin_page = Donation, PAYABLE, "donations", "donations:inspect"
    paid_status, refunded_status = DonationStatus.PAID, DonationStatus.REFUNDED
    stages = {
        **dict.fromkeys(UNPAID, Stage.PENDING),
        DonationStatus.PAID: Stage.PAID,
        DonationStatus.REFUNDED: Stage.REFUNDED,
    }

    def lock(self, pk: int) -> Donation | None:
        """Return the donation, locked after its recurring one."""
        recurring = RecurringDonation.objects.filter(donations=pk).select_for_update(of=("self",)).first()
        donation = Donation.objects.select_for_update(of=("self",)).select_related("campaign", "fundraiser").filter(pk=pk).first()
        if donation is not None:
            donation.recurring = recurring
        return donation

    def due(self, record: Donation) -> Due:
        """Return the amount and the cover; a card is stored for the dates of a recurring donation."""
        self.check_due(record)
        saves_method = record.recurring is not None
        return self.due_with(record, cancel_path="", saves_method=saves_method, occasion=_occasion(record))

    def check_due(self, record: Donation) -> None:
        """Raise Invalid (`status`) if it is paid, or was cancelled or paused by staff."""
        if not record.is_unpaid:
            raise Invalid({"status": "This donation has already been paid."})
        recurring = record.recurring
        if recurring is not None and recurring.status == RecurringStatus.CANCELLED:
            raise Invalid({"status": "This recurring donation has been cancelled."})
        if recurring is not None and recurring.is_stopped:
            raise Invalid({"status": "This recurring donation is paused. Contact us to resume it."})

    def describe(self, record: Donation) -> str:
        return f"Donation: {record.campaign.name}" if record.campaign else "Donation"

    def page(self, record: Donation) -> str:
        recurring = record.recurring
        return MANAGE_LINK.path(recurring) if recurring is not None and record.is_renewal else DONATION_LINK.path(record)

    def check_refundable(self, record: Donation) -> None:
        if record.status != DonationStatus.PAID:
            raise Invalid({"status": "Only a paid donation can be refunded."})

    def become_paid(self, sale: Donation, payment: Any = None) -> bool:
        """Give a locked donation its number; a recurring one goes on unless it was stopped."""
        now, recurring = timezone.now(), sale.recurring
        if recurring is not None:
            if payment.saved_method is not None:
                recurring.method = payment.saved_method
            if recurring.anchor is None:
                recurring.anchor, recurring.dates = today(), 1
                sale.period = recurring.anchor
            if not recurring.is_stopped:
                go_on(recurring)
            recurring.updated_at = now
            recurring.save()
        sale.charge_at = None
        sale.number = f"{SERIES}-{next_number(SERIES, first=FIRST_NUMBER)}"
        self.mark_paid(sale, payment)
        emit("donation.received", sale)
        versions.bump(VERSION)
        notices.record_received(sale)
        notices.send_receipt(sale)
        notices.notify_of_tribute(sale)
        notices.notify_staff(sale)
        return True

    def record_failure(self, record: Donation, payment: Any) -> None:
        """Take note of a declined card or a payment page that was given up; a stored card is charged again later."""
        if not record.is_unpaid:
            return
        super().record_failure(record, payment)
        if payment.is_charge:
            # One that has expired was not sent.
            if payment.status == PaymentStatus.FAILED:
                _be_declined(record, payment.error)
        elif not record.is_renewal and record.status == DonationStatus.PENDING:
            record.status, record.updated_at = DonationStatus.FAILED, timezone.now()
            record.save(update_fields=["status", "updated_at"])

    def record_refund(self, record: Donation, refund: Any) -> None:
        super().record_refund(record, refund)
        versions.bump(VERSION)

    def notify_of_refund(self, record: Donation, amount: Money) -> None:
        notices.send_refunded(record, amount)

    def alternatives(self, payment: Any) -> Sequence[tuple[int, str]]:
        """Return the donor's other unpaid donations of the same amount."""
        known = Donation.objects.filter(pk=payment.record_id).values("email")
        others = Donation.objects.filter(email__in=known, currency=payment.currency).exclude(pk=payment.record_id)
        unpaid = [each for each in others.order_by("-pk")[:100] if each.is_unpaid and each.total_cents == payment.amount_cents]
        return [(each.pk, str(each)) for each in unpaid]

    def name(self, pk: int) -> str:
        return f"Donation {pk}"


DONATIONS = Donations()


def _occasion(donation: Donation) -> Occasion | None:
    """Return what a stored card is charged for: one date of a recurring donation."""
    recurring = donation.recurring
    if recurring is None or donation.period is None:
        return None
    # The moment tells recurring donations without a key from those with their ids in other databases.
    name = f"{recurring.external_id} {recurring.created_at.timestamp():.6f} {donation.period.isoformat()}"
    return Occasion(uuid5(_OCCASIONS, name), charge_time(donation.period), donation.declines)


def go_on(recurring: RecurringDonation) -> None:
    """Make a recurring donation active, from its first date that is not over. The caller stores it."""
    recurring.is_paused_by_staff = False
    recurring.status = RecurringStatus.ACTIVE if recurring.method_id else RecurringStatus.PAUSED
    if not recurring.method_id:
        recurring.next_on = None
        return
    while (day := recurring.date_of(recurring.dates)) is not None and day < today():
        recurring.dates += 1
    recurring.next_on = day


def pause(recurring: RecurringDonation, status: RecurringStatus = RecurringStatus.PAUSED, *, by_staff: bool = False) -> None:
    """Charge nothing any more. The caller stores it."""
    recurring.status, recurring.next_on, recurring.is_paused_by_staff = status, None, by_staff


def give_up_unpaid(recurring: RecurringDonation) -> None:
    """Charge the unpaid donations of a locked recurring one no more, and close their payment pages."""
    unpaid = recurring.donations.filter(status__in=UNPAID)
    unpaid.filter(charge_at__isnull=False).update(charge_at=None)
    for pk in unpaid.values_list("pk", flat=True):
        close_payments_later(payable=PAYABLE, record_id=pk)


def _be_declined(donation: Donation, reason: str) -> None:
    """Charge the card again on one of the next days; after the last one, pause the recurring donation.

    A donation that was given up while its card was charged stays so.
    """
    now, recurring = timezone.now(), donation.recurring
    is_given_up = donation.charge_at is None
    donation.status, donation.declines, donation.updated_at = DonationStatus.FAILED, donation.declines + 1, now
    donation.charge_at = None if is_given_up else retry_at(donation)
    donation.save(update_fields=["status", "declines", "charge_at", "updated_at"])
    log(instance=donation, action="donations.declined", data={"reason": reason})
    if recurring is None or is_given_up:
        return
    if donation.charge_at is None:
        pause(recurring)
        log(instance=recurring, action="donations.paused_after_declines")
    else:
        recurring.status = RecurringStatus.PAST_DUE
    recurring.updated_at = now
    recurring.save(update_fields=["status", "next_on", "updated_at"])
    if donation.charge_at is None:
        notices.send_paused(donation)
    elif donation.declines == 1:
        notices.send_declined(donation)


def retry_at(donation: Donation) -> datetime | None:
    """Return when a declined card is charged again; None after the last time."""
    if donation.declines > len(RETRY_DAYS) or donation.period is None:
        return None
    day = donation.period + timedelta(days=RETRY_DAYS[donation.declines - 1])
    return max(charge_time(day), timezone.now() + timedelta(hours=12))


def charge_time(day: Any) -> datetime:
    """Return when the cards of a date are charged: in the morning, on the site's clock."""
    return datetime.combine(day, time(6), tzinfo=site_timezone())
