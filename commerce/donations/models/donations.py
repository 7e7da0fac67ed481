"""Donations as they were made: later edits of campaigns and settings change nothing in them. Amounts are in minor units."""

from collections.abc import Iterable
from datetime import date

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from cms_api.http.external_keys import ExternalRecord
from cms_api.http.link_keys import LinkedRecord
from cms_api.text.indexed import IndexedText
from cms_api.text.search import unique_words
from commerce.common.models import Address, Person
from commerce.common.types import MAX_EMAIL, MAX_NAME, MAX_PHONE
from commerce.common.types.money import Money
from commerce.common.types.periods import period

from ..types.donations import (
    INTERVALS,
    MAX_DESIGNATION,
    MAX_MESSAGE,
    MAX_NUMBER,
    RUNNING,
    UNPAID,
    DonationStatus,
    Frequency,
    RecurringStatus,
    TributeType,
)
from .campaigns import Campaign, Fundraiser


class Gift(LinkedRecord, IndexedText, Person, Address):
    """The donor, the amount and the purpose, which a recurring donation and each of its payments have in common."""

    email = models.EmailField(max_length=MAX_EMAIL)
    phone = models.CharField(max_length=MAX_PHONE, blank=True, default="")
    #: Whether the donor is not named in public.
    is_anonymous = models.BooleanField("anonymous", default=False)
    #: The account that donated.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+", editable=False)
    campaign = models.ForeignKey(Campaign, null=True, blank=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    fundraiser = models.ForeignKey(Fundraiser, null=True, blank=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    frequency = models.CharField(max_length=10, choices=Frequency.choices, default=Frequency.ONCE)
    designation = models.CharField(max_length=MAX_DESIGNATION, blank=True, default="")
    tribute_type = models.CharField(max_length=10, choices=TributeType.choices, blank=True, default="")
    tribute_name = models.CharField(max_length=2 * MAX_NAME, blank=True, default="")
    tribute_message = models.TextField(max_length=MAX_MESSAGE, blank=True, default="")
    #: The address that is told of the tribute.
    tribute_email = models.EmailField(max_length=MAX_EMAIL, blank=True, default="")
    message = models.TextField(max_length=MAX_MESSAGE, blank=True, default="")
    currency = models.CharField(max_length=3, editable=False)
    #: Without the cover of the fee. Goals count this.
    amount_cents = models.BigIntegerField("amount")
    fee_cover_cents = models.BigIntegerField("cover of the fee", default=0)
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        abstract = True

    @property
    def total_cents(self) -> int:
        return self.amount_cents + self.fee_cover_cents

    @property
    def total(self) -> Money:
        return Money(self.total_cents, self.currency)

    @property
    def amount(self) -> Money:
        return Money(self.amount_cents, self.currency)

    @property
    def search_text(self) -> str:
        return " ".join(unique_words(f"{self.name} {self.email} {self.tribute_name} {self.designation}"))


def amounts_constraint(name: str) -> models.CheckConstraint:
    return models.CheckConstraint(condition=Q(amount_cents__gt=0, fee_cover_cents__gte=0), name=name)


class RecurringDonation(ExternalRecord, Gift):
    """A donation that is repeated on its anchor's day of the month or year, with a card that is stored at the provider.

    By its `external_id`, charges of its dates have the same names in a restored site.
    """

    status = models.CharField(max_length=10, choices=RecurringStatus.choices, default=RecurringStatus.PENDING, editable=False)
    #: Whether staff have paused it: then only they resume it, and what is unpaid is not due until then.
    is_paused_by_staff = models.BooleanField(db_default=False, default=False, editable=False)
    #: The date of the first donation on the site's clock, from which all dates are counted; null until it is paid.
    anchor = models.DateField(null=True, editable=False)
    #: How many dates have come, the anchor included, and the next one; null while nothing will be charged.
    dates = models.PositiveIntegerField(default=0, editable=False)
    next_on = models.DateField(null=True, editable=False)
    method = models.ForeignKey("payments.SavedMethod", null=True, on_delete=models.PROTECT, related_name="+", editable=False)
    cancelled_at = models.DateTimeField(null=True, editable=False)
    #: The amounts before the changes that the latest mail reports: its link goes back to them. Null without a change.
    former_amount_cents = models.BigIntegerField(null=True, editable=False)
    former_fee_cover_cents = models.BigIntegerField(null=True, editable=False)

    class Meta:
        default_permissions = ("view", "change")
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index("created_at", "id", name="recurring_by_creation"),
            models.Index("status", "created_at", "id", name="recurring_by_status"),
            models.Index("email", "created_at", "id", name="recurring_by_email"),
            models.Index("campaign", name="recurring_by_campaign"),
            models.Index("next_on", "id", name="recurring_donation_due", condition=Q(next_on__isnull=False)),
        ]
        constraints = [
            amounts_constraint("recurring_amounts"),
            models.CheckConstraint(condition=Q(next_on__isnull=True) | Q(status__in=RUNNING), name="recurring_due_if_running"),
        ]

    def __str__(self) -> str:
        return f"{self.get_frequency_display()} donation of {self.name}"

    def leading_here(self) -> Iterable[LinkedRecord]:
        return self.donations.all()

    @property
    def is_running(self) -> bool:
        return self.status in RUNNING

    @property
    def is_stopped(self) -> bool:
        """Return whether nothing is due, not even what is unpaid."""
        return self.status == RecurringStatus.CANCELLED or self.is_paused_by_staff

    def date_of(self, number: int) -> date | None:
        """Return the date with a number, counted from 0; None before the first donation is paid."""
        return period(self.anchor, INTERVALS[Frequency(self.frequency)], 1, number) if self.anchor else None


class Donation(Gift):
    """A donation, or one payment of a recurring one."""

    status = models.CharField(max_length=10, choices=DonationStatus.choices, default=DonationStatus.PENDING, editable=False)
    #: Of its receipt, such as `DON-1001`; null until it is paid.
    number = models.CharField(max_length=MAX_NUMBER, null=True, unique=True, editable=False)
    recurring = models.ForeignKey(
        RecurringDonation, null=True, on_delete=models.PROTECT, related_name="donations", db_index=False, editable=False
    )
    #: Its date within the recurring one.
    period = models.DateField(null=True, editable=False)
    #: When its stored card is charged; null if it is not.
    charge_at = models.DateTimeField(null=True, editable=False)
    #: How often its stored card was declined.
    declines = models.PositiveSmallIntegerField(default=0, editable=False)
    #: Whether a payment that takes days is on its way.
    is_processing = models.BooleanField(default=False, editable=False)
    refunded_cents = models.BigIntegerField(default=0, editable=False)
    paid_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        default_permissions = ("add", "view", "change")
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index("created_at", "id", name="donation_by_creation"),
            models.Index("updated_at", "id", name="donation_by_change"),
            models.Index("status", "created_at", "id", name="donation_by_status"),
            models.Index("frequency", "created_at", "id", name="donation_by_frequency"),
            models.Index("email", "created_at", "id", name="donation_by_email"),
            models.Index("campaign", "created_at", "id", name="donation_by_campaign"),
            models.Index("campaign", "paid_at", name="donation_raised", condition=Q(status=DonationStatus.PAID)),
            models.Index("fundraiser", "paid_at", name="donation_of_fundraiser", condition=Q(fundraiser__isnull=False)),
            models.Index("paid_at", "id", name="donation_by_payment", condition=Q(paid_at__isnull=False)),
            models.Index("charge_at", "id", name="donation_to_charge", condition=Q(charge_at__isnull=False)),
        ]
        constraints = [
            amounts_constraint("donation_amounts"),
            models.UniqueConstraint("recurring", "period", name="donation_once_a_period"),
            models.CheckConstraint(
                condition=Q(refunded_cents__gte=0, refunded_cents__lte=F("amount_cents") + F("fee_cover_cents")),
                name="donation_refunds_within",
            ),
            models.CheckConstraint(condition=Q(charge_at__isnull=True) | Q(status__in=UNPAID), name="donation_charged_if_unpaid"),
        ]

    def __str__(self) -> str:
        return self.number or f"Donation of {self.name}"

    def leading_here(self) -> Iterable[LinkedRecord]:
        """The page of a recurring donation and those of its donations lead to one another."""
        return [self.recurring, *self.recurring.donations.exclude(pk=self.pk)] if self.recurring else []

    @property
    def is_unpaid(self) -> bool:
        return self.status in UNPAID

    @property
    def is_renewal(self) -> bool:
        """Return whether it repeats a donation that was paid before."""
        anchor = self.recurring.anchor if self.recurring else None
        return self.period is not None and self.period != anchor

    @property
    def kept_cents(self) -> int:
        """Return how much of a paid donation has not gone back, at most its amount without the cover."""
        return min(self.amount_cents, max(0, self.total_cents - self.refunded_cents))
