"""Columns shared by the models of several modules, tax rules and counters. Unknown text is empty, never null."""

from decimal import Decimal

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from cms_api.flags.selectors import site_country
from cms_api.text.addresses import address_lines

from .types import MAX_LINE, MAX_NAME, full_name
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


class Counter(models.Model):
    """The last number of a series, such as `ORD`."""

    series = models.CharField(max_length=20, primary_key=True)
    last = models.PositiveBigIntegerField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.series} {self.last}"


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
