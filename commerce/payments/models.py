"""Attempts to pay, refunds, and the messages of providers. Written by `services` only."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q, Sum
from django.utils import timezone

from cms_api.http.external_keys import ExternalRecord
from cms_api.http.link_keys import LinkedRecord
from cms_api.text.indexed import IndexedText
from cms_api.text.search import unique_words
from commerce.common.types import MAX_EMAIL
from commerce.common.types.money import Money

from .types import (
    ATTEMPT_ENDS_AFTER,
    LIVE,
    MAX_DESCRIPTION,
    MAX_LABEL,
    MAX_PATH,
    MAX_PURPOSE,
    MAX_REASON,
    MAX_REFERENCE,
    DisputeStatus,
    Method,
    PaymentStatus,
    RefundStatus,
)

#: Money that has arrived, is not applied, and has not gone back either.
TO_SETTLE = ~Q(unapplied="") & Q(refunded_cents__lt=F("amount_cents"))
#: Attempts that charge a saved method; see `Payment.is_charge`.
IS_CHARGE = Q(saved_method__isnull=False, saves_method=False)


class SavedMethod(models.Model):
    """A card or account that a customer has stored at a provider, to be charged without them. Its number is never here."""

    provider = models.CharField(max_length=20)
    #: The method and the customer at the provider.
    reference = models.CharField(max_length=MAX_REFERENCE)
    customer = models.CharField(max_length=MAX_REFERENCE, blank=True, default="")
    #: For people: `Visa •••• 4242`.
    label = models.CharField(max_length=MAX_LABEL, blank=True, default="")
    created_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint("provider", "reference", name="saved_method_once")]

    def __str__(self) -> str:
        return self.label or self.reference


class Payment(ExternalRecord, LinkedRecord, IndexedText, models.Model):
    """An attempt to pay for a record, or money that a person has recorded. Its `external_id` is its name at the provider.

    All that the provider is asked for is stored before it is asked, so that every repetition asks for the same.
    """

    #: The name of the record's `Payable`, and its id; empty and 0 for money that came for a record of which nothing is known.
    payable = models.CharField(max_length=30, editable=False)
    record_id = models.PositiveBigIntegerField(editable=False)
    description = models.CharField(max_length=MAX_DESCRIPTION, editable=False)
    email = models.EmailField(max_length=MAX_EMAIL, blank=True, default="", editable=False)
    #: See `types.Due`.
    purpose = models.CharField(max_length=MAX_PURPOSE, blank=True, default="", editable=False)
    return_path = models.CharField(max_length=MAX_PATH, blank=True, default="", editable=False)
    cancel_path = models.CharField(max_length=MAX_PATH, blank=True, default="", editable=False)
    #: The name of a provider; empty for money that a person has recorded.
    provider = models.CharField(max_length=20, blank=True, default="", editable=False)
    #: The session at the provider; null until it has answered.
    reference = models.CharField(max_length=MAX_REFERENCE, null=True, editable=False)
    #: By which the provider identifies the money.
    charge = models.CharField(max_length=MAX_REFERENCE, blank=True, default="", editable=False)
    #: The address of the provider's payment page.
    url = models.TextField(blank=True, default="", editable=False)
    #: See `types.Due`.
    saves_method = models.BooleanField(db_default=False, editable=False)
    #: The method that is charged without the customer or, once it is paid, the one that was stored.
    saved_method = models.ForeignKey(
        SavedMethod, null=True, on_delete=models.PROTECT, db_index=False, related_name="+", editable=False
    )
    #: The name of the `types.Occasion` that a saved method is charged for, and since when other sites may have charged it.
    occasion = models.UUIDField(null=True, editable=False)
    occasion_since = models.DateTimeField(null=True, editable=False)
    #: The memory of a provider without a server of its own: that of test payments.
    provider_state = models.JSONField(default=dict, editable=False)
    #: The amount asked for; once it has succeeded, the amount that has arrived, less what its record did not need, which is a
    #: payment of its own with the same charge.
    amount_cents = models.BigIntegerField(editable=False)
    currency = models.CharField(max_length=3, editable=False)
    #: The sum of refunds that have not failed.
    refunded_cents = models.BigIntegerField(default=0, editable=False)
    status = models.CharField(max_length=10, choices=PaymentStatus.choices, default=PaymentStatus.STARTED, editable=False)
    method = models.CharField(max_length=15, choices=Method.choices, default=Method.ONLINE, editable=False)
    #: Whether it ended by its own clock, because the provider could not be asked, or as a charge that nobody wants any more:
    #: the money may have arrived.
    is_unconfirmed = models.BooleanField(db_default=False, default=False, editable=False)
    #: Why money that has arrived is not applied to the record; empty once it is.
    unapplied = models.CharField(max_length=MAX_REASON, blank=True, default="", editable=False)
    #: Why the attempt failed, as the provider says it.
    error = models.CharField(max_length=MAX_REASON, blank=True, default="", editable=False)
    dispute = models.CharField(max_length=10, choices=DisputeStatus.choices, blank=True, default="", editable=False)
    #: Of money that a person has recorded: the number of a check or a transfer.
    typed_reference = models.CharField("reference", max_length=MAX_REFERENCE, blank=True, default="", editable=False)
    note = models.CharField(max_length=MAX_REASON, blank=True, default="", editable=False)
    recorded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+", editable=False
    )
    #: The end of the payment page; for a charge, the moment from which it is not sent any more.
    expires_at = models.DateTimeField(null=True, editable=False)
    paid_at = models.DateTimeField(null=True, editable=False)
    #: When the provider was last asked about the attempt.
    checked_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        default_permissions = ("view", "change")
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index("payable", "record_id", "id", name="payment_of_record"),
            models.Index("created_at", "id", name="payment_by_date"),
            models.Index("status", "created_at", "id", name="payment_by_status"),
            models.Index("checked_at", "id", name="payment_live", condition=Q(status__in=LIVE)),
            models.Index("checked_at", "id", name="payment_unconfirmed", condition=Q(is_unconfirmed=True)),
            models.Index("id", name="payment_to_settle", condition=TO_SETTLE),
            models.Index("id", name="payment_disputed", condition=Q(dispute=DisputeStatus.OPEN)),
            models.Index("charge", name="payment_by_charge", condition=~Q(charge="")),
        ]
        constraints = [
            models.UniqueConstraint("payable", "record_id", name="payment_one_live", condition=Q(status__in=LIVE)),
            models.UniqueConstraint("provider", "reference", name="payment_once", condition=Q(reference__isnull=False)),
            models.CheckConstraint(condition=Q(amount_cents__gt=0), name="payment_amount_positive"),
            models.CheckConstraint(
                condition=Q(refunded_cents__gte=0, refunded_cents__lte=F("amount_cents")), name="payment_refunds_within"
            ),
        ]

    def __str__(self) -> str:
        return self.description

    @property
    def amount(self) -> Money:
        return Money(self.amount_cents, self.currency)

    @property
    def refundable_cents(self) -> int:
        """Return what is left of money that has arrived."""
        return self.amount_cents - self.refunded_cents if self.status == PaymentStatus.SUCCEEDED else 0

    @property
    def pending_refund_cents(self) -> int:
        """Return how much of what counts as refunded is not known to be on its way."""
        if not self.refunded_cents:
            return 0
        return self.refunds.filter(status=RefundStatus.PENDING).aggregate(sum=Sum("amount_cents"))["sum"] or 0

    @property
    def is_charge(self) -> bool:
        """Return whether a saved method is charged, without a payment page."""
        return self.saved_method_id is not None and not self.saves_method

    @property
    def is_live(self) -> bool:
        return self.status in LIVE

    @property
    def has_lapsed(self) -> bool:
        """Return whether its time is over, whatever the provider says, or cannot say."""
        now = timezone.now()
        if self.status == PaymentStatus.PROCESSING or self.is_charge:
            return self.is_live and self.updated_at < now - ATTEMPT_ENDS_AFTER
        return self.is_live and self.expires_at is not None and self.expires_at <= now

    @property
    def is_to_settle(self) -> bool:
        return bool(self.unapplied) and self.refundable_cents > 0

    @property
    def search_text(self) -> str:
        words = (self.description, self.email, self.reference or "", self.charge, self.typed_reference)
        return " ".join(unique_words(" ".join(words)))


class Refund(ExternalRecord, models.Model):
    """Money that goes back to where it came from. Its `external_id` is its name at the provider."""

    payment = models.ForeignKey(Payment, on_delete=models.PROTECT, related_name="refunds", editable=False)
    amount_cents = models.BigIntegerField(editable=False)
    status = models.CharField(max_length=10, choices=RefundStatus.choices, default=RefundStatus.PENDING, editable=False)
    #: The refund at the provider; null until it has answered, or if a person has paid the money back.
    reference = models.CharField(max_length=MAX_REFERENCE, null=True, editable=False)
    reason = models.CharField(max_length=MAX_REASON, blank=True, default="")
    error = models.CharField(max_length=MAX_REASON, blank=True, default="", editable=False)
    #: Whether a person has given it back in another way, as the provider could not; what the provider says no longer counts.
    is_by_hand = models.BooleanField(db_default=False, default=False, editable=False)
    #: Null for refunds made at the provider, or by a rule.
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+", editable=False
    )
    checked_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        default_permissions = ()
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index("id", name="refund_pending", condition=Q(status=RefundStatus.PENDING)),
            models.Index("updated_at", "id", name="refund_failed", condition=Q(status=RefundStatus.FAILED)),
        ]
        constraints = [
            # A refund made at the provider may belong to several payments with the same charge.
            models.UniqueConstraint("payment", "reference", name="refund_once", condition=Q(reference__isnull=False)),
            models.CheckConstraint(condition=Q(amount_cents__gt=0), name="refund_amount_positive"),
        ]

    def __str__(self) -> str:
        return f"Refund of {self.payment}"

    @property
    def amount(self) -> Money:
        return Money(self.amount_cents, self.payment.currency)


class ProviderEvent(models.Model):
    """A message of a provider, stored before it is acted on; the same one is stored once."""

    provider = models.CharField(max_length=20)
    event_id = models.CharField(max_length=MAX_REFERENCE)
    kind = models.CharField(max_length=100)
    #: The values of `types.Event`; nothing else is kept, as messages are full of personal data.
    payload = models.JSONField()
    payment = models.ForeignKey(Payment, null=True, on_delete=models.SET_NULL, related_name="events")
    #: The charge that it is about, while no payment is known to have it: the message waits for that payment.
    charge = models.CharField(max_length=MAX_REFERENCE, blank=True, default="", db_default="")
    #: Null until its effect is stored; a sweep takes up what a crash has left.
    handled_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        indexes = [
            models.Index("id", name="provider_event_open", condition=Q(handled_at__isnull=True)),
            models.Index("charge", name="provider_event_waits", condition=~Q(charge="")),
        ]
        constraints = [models.UniqueConstraint("provider", "event_id", name="provider_event_once")]

    def __str__(self) -> str:
        return f"{self.kind} {self.event_id}"
