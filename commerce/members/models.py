"""Plans and members. Written by `services` only."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from cms_api.http.link_keys import LinkedRecord
from cms_api.text.indexed import IndexedText
from cms_api.text.search import unique_words
from commerce.common.selectors import format_money
from commerce.common.types import full_name, split_name
from commerce.common.types.money import Money

from .types import MAX_DESCRIPTION, MAX_PLAN_NAME, MAX_SLUG, Interval, MemberStatus, Notice, Rate, price_in_words


class Plan(models.Model):
    """A membership plan: name, benefits and price."""

    name = models.CharField(max_length=MAX_PLAN_NAME)
    slug = models.SlugField(max_length=MAX_SLUG, unique=True)
    description = models.TextField(
        max_length=MAX_DESCRIPTION, blank=True, default="", help_text="Benefits, as shown to visitors."
    )
    price_cents = models.BigIntegerField(default=0)
    #: Lower case.
    currency = models.CharField(max_length=3)
    interval = models.CharField("paid", max_length=5, choices=Interval.choices, default=Interval.NONE)
    enabled = models.BooleanField(
        default=True, help_text="Whether members can choose it. Members who already have it keep it when it is switched off."
    )
    position = models.PositiveIntegerField(default=0, help_text="Lower numbers come first.")
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        ordering = ["position", "name", "id"]
        constraints = [models.CheckConstraint(condition=Q(price_cents__gte=0), name="plan_price_not_negative")]

    def __str__(self) -> str:
        return self.name

    @property
    def is_free(self) -> bool:
        return self.price_cents == 0

    @property
    def price(self) -> Money:
        return Money(self.price_cents, self.currency)

    @property
    def rate(self) -> Rate:
        return Rate(self.price_cents, self.currency, self.interval)

    @property
    def price_words(self) -> str:
        return "Free" if self.is_free else price_in_words(format_money(self.price), self.interval)


class Member(LinkedRecord, IndexedText, models.Model):
    """An account that has joined. Name and email are the account's."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="membership")
    plan = models.ForeignKey(Plan, null=True, blank=True, on_delete=models.PROTECT, related_name="members")
    #: A plan with a price that the member chose, until it is paid or staff confirm its payment.
    requested_plan = models.ForeignKey(
        Plan, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", editable=False, db_index=False
    )
    #: The last day of what was paid for, in the site's time zone; null if the plan has no end: it was paid once, or given by
    #: staff.
    paid_until = models.DateField(null=True, editable=False)
    #: The day of the month of the plan's first payment; see `types.next_end`. Null if nothing was paid, also not once.
    billing_day = models.PositiveSmallIntegerField(null=True, editable=False)
    #: Whether the member does not want it any longer than that; the plan that follows then.
    is_ending = models.BooleanField(db_default=False, default=False, editable=False)
    next_plan = models.ForeignKey(
        Plan, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", editable=False, db_index=False
    )
    #: The latest reminder of the end of what was paid for.
    notice = models.PositiveSmallIntegerField(choices=Notice.choices, default=Notice.NONE, editable=False)
    status = models.CharField(max_length=10, choices=MemberStatus.choices, default=MemberStatus.ACTIVE)
    #: When the member first joined; unchanged by rejoining.
    joined_at = models.DateTimeField(editable=False)
    cancelled_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        ordering = ["-joined_at", "-id"]
        indexes = [
            models.Index("joined_at", "id", name="member_by_joining"),
            models.Index("status", "joined_at", "id", name="member_by_status"),
            models.Index("plan", "joined_at", "id", name="member_by_plan"),
            models.Index("paid_until", "id", name="member_by_end", condition=Q(paid_until__isnull=False)),
            models.Index("requested_plan", name="member_by_request", condition=Q(requested_plan__isnull=False)),
        ]

    def __str__(self) -> str:
        return self.name or self.email

    @property
    def email(self) -> str:
        return self.user.email.lower()

    @property
    def first_name(self) -> str:
        return split_name(self.user.get_full_name())[0]

    @property
    def last_name(self) -> str:
        return split_name(self.user.get_full_name())[1]

    @property
    def name(self) -> str:
        return full_name(self.first_name, self.last_name)

    @property
    def is_active(self) -> bool:
        return self.status == MemberStatus.ACTIVE

    @property
    def search_text(self) -> str:
        return " ".join(unique_words(f"{self.name} {self.email}"))


class PaidPeriod(models.Model):
    """The time of a member's plan that a payment gives, and the price at which it was paid. It is taken back with the money."""

    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="+")
    plan = models.ForeignKey(Plan, on_delete=models.CASCADE, related_name="+", db_index=False)
    #: Null for money that arrived outside of the site, as staff have confirmed.
    payment_id = models.PositiveBigIntegerField(null=True, unique=True)
    #: As they were when it was paid; see `Plan`. Of carried days, the price at which all of the payment would have paid for them,
    #: also if a part of it had gone back before: what is left of it counts whenever days are carried.
    price_cents = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    interval = models.CharField(max_length=5, choices=Interval.choices)
    #: Null for a plan that was paid once.
    days = models.PositiveIntegerField(null=True)
    #: Whether the payment was for a former plan, and these are the days of this one that were given for those that were left.
    is_carried = models.BooleanField(default=False)
    #: Whether the time was taken back with the money. A refund that fails later gives it again.
    is_taken = models.BooleanField(default=False)
    #: As they were before it was taken back; see `Member`.
    former_until = models.DateField(null=True)
    former_billing_day = models.PositiveSmallIntegerField(null=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.days} days of {self.plan}"

    @property
    def rate(self) -> Rate:
        return Rate(self.price_cents, self.currency, self.interval)
