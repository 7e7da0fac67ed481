"""Clients, to whom invoices are addressed."""

from django.db import models

from cms_api.text.indexed import IndexedText
from cms_api.text.search import unique_words
from commerce.common.models import Address
from commerce.common.types import MAX_EMAIL, MAX_NAME, MAX_PHONE

from ..types.invoices import MAX_CLIENT, MAX_TAX_ID, MAX_TEXT


class Client(Address, IndexedText, models.Model):
    """A person or an organisation that is billed."""

    name = models.CharField(max_length=MAX_CLIENT)
    email = models.EmailField(max_length=MAX_EMAIL)
    #: The person that invoices are for the attention of.
    contact_name = models.CharField(max_length=2 * MAX_NAME, blank=True, default="")
    phone = models.CharField(max_length=MAX_PHONE, blank=True, default="")
    tax_id = models.CharField("tax ID", max_length=MAX_TAX_ID, blank=True, default="")
    notes = models.TextField(max_length=MAX_TEXT, blank=True, default="")
    #: The contact of the CRM with this email address.
    contact = models.ForeignKey("crm.Contact", null=True, on_delete=models.SET_NULL, related_name="+", editable=False)
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        ordering = ["name", "id"]
        indexes = [models.Index("name", "id", name="client_by_name"), models.Index("email", "id", name="client_by_email")]

    def __str__(self) -> str:
        return self.name

    @property
    def billing_lines(self) -> list[str]:
        """Return the address as it stands on invoices, below the name."""
        attention = [self.contact_name] if self.contact_name else []
        tax_id = [f"Tax ID {self.tax_id}"] if self.tax_id else []
        return [*attention, *self.address_lines, *tax_id]

    @property
    def search_text(self) -> str:
        return " ".join(unique_words(f"{self.name} {self.contact_name} {self.email} {self.phone} {self.tax_id}"))
