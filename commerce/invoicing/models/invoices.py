"""Invoices and estimates. Issued documents never change, except for what is paid of them and how they end."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any, ClassVar

from django.db import models
from django.db.models import F, Q

from cms_api.http.link_keys import LinkedRecord
from cms_api.text.indexed import IndexedText
from cms_api.text.search import unique_words
from commerce.common.types import MAX_EMAIL, MAX_NAME
from commerce.common.types.money import Money, payable_step
from commerce.common.types.tax import MAX_TAX_LABEL, NO_TAX, TaxRate

from ..types.credits import Part
from ..types.invoices import (
    MAX_CLIENT,
    MAX_DESCRIPTION,
    MAX_REASON,
    MAX_REFERENCE,
    MAX_TEXT,
    OVERDUE,
    PARTIAL,
    STATUSES,
    Kind,
    Status,
)
from .clients import Client
from .recurring import RecurringInvoice

#: Invoices that money is still expected for.
IS_OUTSTANDING = Q(kind=Kind.INVOICE, status=Status.SENT)


class Invoice(LinkedRecord, IndexedText, models.Model):
    """An invoice or an estimate."""

    kind = models.CharField(max_length=8, choices=Kind.choices, default=Kind.INVOICE, editable=False)
    #: `INV-1001` or `EST-1001`; null in drafts if numbers are given on issuing.
    number = models.CharField(max_length=20, unique=True, null=True, editable=False)
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.DRAFT, editable=False)

    client = models.ForeignKey(Client, on_delete=models.PROTECT, related_name="invoices", db_index=False)
    #: The client as of the last change of the draft.
    client_name = models.CharField(max_length=MAX_CLIENT, editable=False)
    client_lines = models.JSONField(default=list, editable=False)
    email = models.EmailField(max_length=MAX_EMAIL, editable=False)
    #: The business as of issuing: `{"site": "", "sender": []}`.
    seller = models.JSONField(default=dict, editable=False)
    #: The client's own number of the order.
    reference = models.CharField(max_length=MAX_REFERENCE, blank=True, default="")
    notes = models.TextField(max_length=MAX_TEXT, blank=True, default="")
    terms = models.TextField(max_length=MAX_TEXT, blank=True, default="")

    currency = models.CharField(max_length=3, editable=False)
    prices_include_tax = models.BooleanField(default=False)
    #: Zero if the discount is an amount.
    discount_percent = models.DecimalField(max_digits=7, decimal_places=4, default=Decimal(0))
    subtotal_cents = models.BigIntegerField(default=0, editable=False)
    #: An amount as it was entered, which may be more than the items cost; or what the percentage comes to.
    discount_cents = models.BigIntegerField(default=0)
    tax_cents = models.BigIntegerField(default=0, editable=False)
    total_cents = models.BigIntegerField(default=0, editable=False)
    #: `[{"label": "VAT", "percent": "20", "net_cents": 1000, "tax_cents": 200}]`, highest rate first.
    taxes = models.JSONField(default=list, editable=False)
    #: Money that has arrived, less what has gone back.
    amount_paid_cents = models.BigIntegerField(default=0, editable=False)
    #: The sum of its credit notes.
    credited_cents = models.BigIntegerField(default=0, editable=False)
    balance_due_cents = models.BigIntegerField(default=0, editable=False)
    #: Whether a payment that takes days is on its way.
    is_processing = models.BooleanField(default=False, editable=False)

    #: The day of issuing, unless `is_dated`: another one was chosen.
    issue_date = models.DateField()
    is_dated = models.BooleanField(default=False, editable=False)
    #: Of an estimate: the last day on which it can be accepted.
    due_date = models.DateField(null=True, blank=True)
    #: Days from the date of issue to `due_date`; null if that was chosen, or if there is none.
    due_days = models.PositiveIntegerField(null=True, editable=False)
    #: The estimate that it was made from.
    estimate = models.OneToOneField("self", null=True, on_delete=models.PROTECT, related_name="invoice", editable=False)
    recurring = models.ForeignKey(
        RecurringInvoice, null=True, on_delete=models.SET_NULL, related_name="invoices", db_index=False, editable=False
    )
    #: Its date among those of the recurring invoice.
    period = models.DateField(null=True, editable=False)

    sent_at = models.DateTimeField(null=True, editable=False)
    paid_at = models.DateTimeField(null=True, editable=False)
    #: When it was made void, or an estimate accepted or declined; by whom, as typed by the client, and why.
    decided_at = models.DateTimeField(null=True, editable=False)
    decided_by = models.CharField(max_length=2 * MAX_NAME, blank=True, default="", editable=False)
    decision_note = models.CharField(max_length=MAX_REASON, blank=True, default="", editable=False)
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        # No `delete`: a draft is made void instead, so that no number is missing.
        default_permissions = ("add", "view", "change")
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index("created_at", "id", name="invoice_by_creation"),
            models.Index("updated_at", "id", name="invoice_by_change"),
            models.Index("kind", "created_at", "id", name="invoice_by_kind"),
            models.Index("status", "created_at", "id", name="invoice_by_status"),
            models.Index("client", "created_at", "id", name="invoice_of_client"),
            models.Index("email", "created_at", "id", name="invoice_by_email"),
            # The last columns spare counts of outstanding and overdue invoices a look at each of them: SQLite reads all columns
            # of a query's conditions, also those of the index's own.
            models.Index("created_at", "id", "due_date", "kind", "status", name="invoice_outstanding", condition=IS_OUTSTANDING),
            models.Index("due_date", "id", "kind", "status", name="invoice_due", condition=IS_OUTSTANDING),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind=Kind.INVOICE, status__in=STATUSES[Kind.INVOICE])
                | Q(kind=Kind.ESTIMATE, status__in=STATUSES[Kind.ESTIMATE]),
                name="invoice_status_of_kind",
            ),
            models.CheckConstraint(
                condition=Q(
                    subtotal_cents__gte=0,
                    discount_cents__gte=0,
                    tax_cents__gte=0,
                    total_cents__gte=0,
                    amount_paid_cents__gte=0,
                    balance_due_cents__gte=0,
                ),
                name="invoice_not_negative",
            ),
            models.CheckConstraint(
                condition=Q(credited_cents__gte=0, credited_cents__lte=F("total_cents")), name="invoice_credits_within"
            ),
            models.CheckConstraint(condition=Q(number__isnull=False) | Q(status=Status.DRAFT), name="invoice_numbered"),
            models.UniqueConstraint("recurring", "period", name="invoice_once_a_period", condition=Q(recurring__isnull=False)),
        ]

    def leading_here(self) -> Iterable[LinkedRecord]:
        """An accepted estimate leads to its invoice."""
        return [self.estimate] if self.estimate else []

    def __str__(self) -> str:
        return self.number or f"{self.get_kind_display()} draft {self.pk}"

    @property
    def total(self) -> Money:
        return Money(self.total_cents, self.currency)

    @property
    def balance(self) -> Money:
        return Money(self.balance_due_cents, self.currency)

    @property
    def taken_off_cents(self) -> int:
        """Return the discount: at most what the items cost."""
        return min(self.discount_cents, self.subtotal_cents)

    @property
    def is_invoice(self) -> bool:
        return self.kind == Kind.INVOICE

    @property
    def is_draft(self) -> bool:
        return self.status == Status.DRAFT

    @property
    def is_outstanding(self) -> bool:
        return self.is_invoice and self.status == Status.SENT

    @property
    def owed_cents(self) -> int:
        """Return what the client has paid beyond what is left to pay after credit notes, and has not been given back."""
        return max(0, self.amount_paid_cents + self.credited_cents - self.total_cents)

    @property
    def rounding_cents(self) -> int:
        """Return what the balance asks for beyond what is left to pay, or less than nothing; see `balance_cents`.

        A credit note may leave what cannot be paid. As long as it is less than can be paid back, nothing is owed to the client.
        """
        left = self.total_cents - self.credited_cents - self.amount_paid_cents
        return self.balance_due_cents - left if left > -payable_step(self.currency) else 0

    @property
    def parts(self) -> list[Part]:
        """Return what is billed, by tax rate; the last part is what is not taxed, with the rounding of the total.

        A total that was rounded down is taken off the largest part.
        """
        taxed = [Part(tax["label"], tax["percent"], tax["net_cents"] + tax["tax_cents"], tax["tax_cents"]) for tax in self.taxes]
        rest = self.total_cents - sum(part.gross_cents for part in taxed)
        if rest < 0:
            largest = max(range(len(taxed)), key=lambda place: taxed[place].gross_cents)
            taxed[largest] = replace(taxed[largest], gross_cents=taxed[largest].gross_cents + rest)
        return [*taxed, Part("", "0", max(rest, 0), 0)]

    def display_status(self, today: date) -> str:
        """Return the status that people see: `today` is a day in the site's timezone."""
        if not self.is_outstanding:
            return self.status
        if self.due_date is not None and self.due_date < today:
            return OVERDUE
        return PARTIAL if self.amount_paid_cents or self.credited_cents else self.status

    @property
    def search_text(self) -> str:
        return " ".join(unique_words(f"{self.number or ''} {self.client_name} {self.email} {self.reference}"))


class Estimate(Invoice):
    """Estimates as pages of the admin name and permit them; their rows are those of `Invoice`."""

    #: Indexed as invoices.
    search_fields: ClassVar[list[Any]] = []

    class Meta:
        proxy = True
        default_permissions = ("add", "view", "change")


class InvoiceItem(models.Model):
    """An item of an invoice or an estimate."""

    invoice = models.ForeignKey(Invoice, on_delete=models.CASCADE, related_name="items", db_index=False)
    position = models.PositiveIntegerField(default=0)
    description = models.CharField(max_length=MAX_DESCRIPTION)
    quantity = models.DecimalField(max_digits=12, decimal_places=4, default=Decimal(1))
    unit_price_cents = models.BigIntegerField()
    discount_percent = models.DecimalField(max_digits=7, decimal_places=4, default=Decimal(0))
    tax_label = models.CharField(max_length=MAX_TAX_LABEL, blank=True, default="")
    tax_percent = models.DecimalField(max_digits=7, decimal_places=4, default=Decimal(0))
    #: Quantity times price, after its own discount.
    total_cents = models.BigIntegerField()
    #: Its tax, after the discount of the whole.
    tax_cents = models.BigIntegerField(default=0)

    class Meta:
        default_permissions = ()
        ordering = ["position", "id"]
        indexes = [models.Index("invoice", "position", "id", name="item_of_invoice")]
        constraints = [
            models.CheckConstraint(
                condition=Q(quantity__gte=0, unit_price_cents__gte=0, total_cents__gte=0, tax_cents__gte=0),
                name="invoice_item_not_negative",
            )
        ]

    def __str__(self) -> str:
        return self.description

    @property
    def rate(self) -> TaxRate:
        return TaxRate(self.tax_label, self.tax_percent) if self.tax_percent else NO_TAX


class InvoicePdf(models.Model):
    """The document of an invoice or a credit note as it was issued."""

    invoice = models.OneToOneField(Invoice, null=True, on_delete=models.PROTECT, related_name="pdf")
    credit_note = models.OneToOneField("invoicing.CreditNote", null=True, on_delete=models.PROTECT, related_name="pdf")
    #: The source that it is typeset from, settled when it is issued: a `commerce.common.services.documents.Document`.
    document = models.JSONField(default=dict)
    #: Empty until it is typeset, right after the transaction; see `services.pdfs.content_of`.
    content = models.BinaryField(default=b"")
    #: SHA-256 of the content, in hexadecimal.
    sha256 = models.CharField(max_length=64, blank=True, default="")
    #: Characters that no font has.
    missing = models.CharField(max_length=200, blank=True, default="")
    created_at = models.DateTimeField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"PDF of {self.credit_note or self.invoice}"


class Notice(models.Model):
    """A reminder of an invoice that has been sent: each kind once."""

    invoice = models.ForeignKey(Invoice, on_delete=models.CASCADE, related_name="notices", db_index=False)
    #: `before`, or `after_7` for seven days after the due date.
    kind = models.CharField(max_length=12)
    sent_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        ordering = ["sent_at", "id"]
        constraints = [models.UniqueConstraint("invoice", "kind", name="notice_once")]

    def __str__(self) -> str:
        return f"{self.invoice}, {self.kind}"
