"""Credit notes: what an invoice no longer asks for."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from commerce.common.types.money import Money

from ..types.credits import CreditedItem, Part, rounding_of
from ..types.invoices import MAX_REASON
from .invoices import Invoice


class CreditNote(models.Model):
    """A correction of an issued invoice."""

    #: `CN-1001`.
    number = models.CharField(max_length=20, unique=True, editable=False)
    invoice = models.ForeignKey(Invoice, on_delete=models.PROTECT, related_name="credit_notes", db_index=False)
    reason = models.CharField(max_length=MAX_REASON)
    total_cents = models.BigIntegerField()
    tax_cents = models.BigIntegerField(default=0)
    #: `[{"label": "VAT", "percent": "20", "gross_cents": 1200, "tax_cents": 200}]`, as many as the invoice has parts.
    parts = models.JSONField(default=list)
    #: `types.credits.CreditedItem`s; none if it is for an amount, which is spread over the parts.
    items = models.JSONField(default=list)
    issue_date = models.DateField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        ordering = ["created_at", "id"]
        indexes = [models.Index("invoice", "id", name="credit_note_of_invoice")]
        constraints = [models.CheckConstraint(condition=Q(total_cents__gt=0, tax_cents__gte=0), name="credit_note_some")]

    def __str__(self) -> str:
        return self.number

    @property
    def total(self) -> Money:
        return Money(self.total_cents, self.invoice.currency)

    @property
    def taken(self) -> list[Part]:
        return [Part(**part) for part in self.parts]

    @property
    def credited_items(self) -> list[CreditedItem]:
        return [CreditedItem(**item) for item in self.items]

    @property
    def rounding_cents(self) -> int:
        """Return how much of the rounding of the invoice's total a credit of items takes back."""
        return rounding_of(self.taken, self.credited_items)
