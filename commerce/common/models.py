"""Columns shared by the models of several modules, tax rules and counters. Unknown text is empty, never null."""

from collections.abc import Collection
from decimal import Decimal
from typing import ClassVar

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.utils import timezone

from cms_api.core.numbering import NumberSeries
from cms_api.flags.selectors import site_country
from cms_api.text.addresses import address_lines

from .types import MAX_CATEGORY_DESCRIPTION, MAX_LINE, MAX_NAME, MAX_SLUG, full_name
from .types.discounts import MAX_CODE, MAX_NOTE, CodeState, Discount, DiscountKind, code_state
from .types.tax import TaxClass, TaxRate


class Person(models.Model):
    first_name = models.CharField(max_length=MAX_NAME, blank=True, default="")
    last_name = models.CharField(max_length=MAX_NAME, blank=True, default="")

    class Meta:
        abstract = True

    @property
    def name(self) -> str:
        return full_name(self.first_name, self.last_name)


class Address(models.Model):
    street = models.CharField(max_length=MAX_LINE, blank=True, default="")
    street2 = models.CharField("street, second line", max_length=MAX_LINE, blank=True, default="")
    city = models.CharField(max_length=MAX_NAME, blank=True, default="")
    state = models.CharField("state or region", max_length=MAX_NAME, blank=True, default="")
    postal_code = models.CharField(max_length=30, blank=True, default="")
    country = models.CharField(max_length=MAX_NAME, blank=True, default="")

    class Meta:
        abstract = True

    @property
    def address_lines(self) -> list[str]:
        return address_lines(vars(self), home=site_country())


class CategoryBase(models.Model):
    """A category of records, with a page of its own. Each module that has categories has a table of its own."""

    name = models.CharField(max_length=MAX_NAME)
    slug = models.SlugField(max_length=MAX_SLUG, unique=True)
    description = models.TextField(max_length=MAX_CATEGORY_DESCRIPTION, blank=True, default="")
    position = models.PositiveIntegerField(default=0, help_text="Categories with lower numbers come first.")
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        abstract = True
        verbose_name = "category"
        verbose_name_plural = "categories"
        ordering = ["position", "name", "id"]

    def __str__(self) -> str:
        return self.name


class AssignmentRuleBase(models.Model):
    """Says who gets a new record. The first rule that matches applies, and its people take turns."""

    name = models.CharField(max_length=MAX_NAME)
    position = models.PositiveIntegerField(default=0, help_text="Rules with lower numbers are tried first.")
    enabled = models.BooleanField(default=True)
    assignees = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="+")
    #: Id of the person assigned last.
    last_assignee_id = models.PositiveBigIntegerField(default=0, editable=False)

    class Meta:
        abstract = True
        ordering = ["position", "id"]

    def __str__(self) -> str:
        return self.name


class Counter(NumberSeries):
    """The last number of a series, such as `ORD`. Its module declares the series as one of `numbers`."""


class TaxRule(models.Model):
    """The tax on sales of one tax class to a country, or to one region of it."""

    #: ISO 3166 code.
    country = models.CharField(max_length=2)
    #: As addresses have it, such as "CA" (`region_code`); empty for the whole country.
    region = models.CharField("state or region", max_length=MAX_NAME, blank=True, default="")
    tax_class = models.CharField(max_length=20, choices=TaxClass.choices, default=TaxClass.STANDARD)
    label = models.CharField(max_length=40, help_text="Shown on receipts, for example VAT.")
    percent = models.DecimalField(
        "rate in percent",
        max_digits=7,
        decimal_places=4,
        validators=[MinValueValidator(Decimal(0)), MaxValueValidator(Decimal(100))],
    )
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        ordering = ["country", "region", "tax_class", "id"]
        constraints = [
            models.UniqueConstraint("country", Lower("region"), "tax_class", name="tax_rule_once"),
            models.CheckConstraint(condition=Q(percent__gte=0, percent__lte=100), name="tax_rule_percent"),
        ]

    def __str__(self) -> str:
        return f"{self.label} {self.percent.normalize():f}%"

    @property
    def rate(self) -> TaxRate:
        return TaxRate(self.label, self.percent)


class DiscountCodeBase(models.Model):
    """A code that customers enter at checkout. Each module that has codes has a table of its own.

    A subclass adds `discount_constraints` and an index of `created_at` and `id`.
    """

    #: The kinds that the module offers.
    kinds: ClassVar[Collection[DiscountKind]] = tuple(DiscountKind)
    #: The singular noun of the records that use the codes, as customers and editors read it.
    noun: ClassVar[str] = "order"

    #: See `types.discounts.code_key`.
    code = models.CharField(max_length=MAX_CODE, unique=True)
    note = models.CharField(max_length=MAX_NOTE, blank=True, default="", help_text="Customers do not see it.")
    kind = models.CharField(max_length=15, choices=DiscountKind.choices, default=DiscountKind.PERCENTAGE)
    percent = models.DecimalField(
        max_digits=5,
        decimal_places=2,
        default=Decimal(0),
        validators=[MinValueValidator(Decimal(0)), MaxValueValidator(Decimal(100))],
    )
    amount_cents = models.BigIntegerField(default=0)
    currency = models.CharField(max_length=3)
    #: The least value of the items.
    minimum_cents = models.BigIntegerField(default=0)
    #: How often it can be used, altogether and by one email address; without a limit if null.
    max_uses = models.PositiveIntegerField(null=True, blank=True)
    max_uses_per_customer = models.PositiveIntegerField(null=True, blank=True)
    #: How many records use it: pending ones that have reserved something, and those that were paid.
    used = models.PositiveIntegerField(default=0, editable=False)
    starts_at = models.DateTimeField(null=True, blank=True)
    ends_at = models.DateTimeField(null=True, blank=True)
    enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        abstract = True
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.code

    @property
    def state(self) -> CodeState:
        """Return whether it can be used now."""
        dates = {"starts_at": self.starts_at, "ends_at": self.ends_at}
        return code_state(timezone.now(), enabled=self.enabled, **dates, max_uses=self.max_uses, used=self.used)

    @property
    def has_amounts(self) -> bool:
        """Return whether something of it is in its currency."""
        return bool(self.amount_cents or self.minimum_cents)

    @property
    def discount(self) -> Discount:
        return Discount(DiscountKind(self.kind), self.percent, self.amount_cents)


def discount_constraints(prefix: str) -> list[models.BaseConstraint]:
    """Return the constraints of a table of discount codes, whose names begin with `prefix`."""
    return [
        models.CheckConstraint(condition=Q(percent__gte=0, percent__lte=100), name=f"{prefix}_percent"),
        models.CheckConstraint(condition=Q(amount_cents__gte=0, minimum_cents__gte=0), name=f"{prefix}_not_negative"),
        models.CheckConstraint(condition=Q(max_uses__isnull=True) | Q(used__lte=F("max_uses")), name=f"{prefix}_limit"),
    ]
