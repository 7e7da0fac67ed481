"""The forms of invoices, estimates, recurring invoices and clients."""

from typing import Any

from django import forms
from wagtail.admin.widgets import AdminAutoHeightTextInput

from cms_api.adminkit.forms import RecordForm, SiteDateField
from cms_api.flags.selectors import site_country
from cms_api.text.addresses import country_code
from commerce.common.admin.addresses import country_choices

from ..models import RecurringInvoice
from ..services.writing import MAX_DUE_DAYS, copied_values, defaults
from ..types.invoices import Kind
from ..types.recurring import MAX_EVERY, Delivery
from .items import ItemsForm


class InvoiceForm(ItemsForm):
    kind = Kind.INVOICE
    due_label = "Due date"
    refused_at = {**ItemsForm.refused_at, "email": "recipient", "due_days": "days"}

    recipient = forms.EmailField(required=False, label="Email", help_text="Leave empty for the client's address.")
    issue_date = SiteDateField(required=False, help_text="Leave empty for the day on which it is sent or issued.")
    days = forms.IntegerField(
        required=False, min_value=0, max_value=MAX_DUE_DAYS, label="Days to pay", help_text="After the issue date."
    )
    due_date = SiteDateField(required=False, help_text="Instead of a number of days.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        invoice: Any = self.instance
        self.fields["due_date"].label = self.due_label
        if not invoice.pk:
            values = defaults(self.kind)
            self.initial |= {**values, "days": values["due_days"]}
        else:
            self.initial |= {
                "days": invoice.due_days,
                "recipient": "" if invoice.email == invoice.client.email else invoice.email,
                "issue_date": invoice.issue_date if invoice.is_dated else None,
                "due_date": invoice.due_date if invoice.due_days is None else None,
            }

    def values(self) -> dict[str, Any]:
        values = super().values()
        return {**values, "email": values.pop("recipient"), "due_days": values.pop("days")}

    def stored_items(self) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = copied_values(self.instance)["items"]
        return items


class EstimateForm(InvoiceForm):
    kind = Kind.ESTIMATE
    due_label = "Valid until"

    days = forms.IntegerField(
        required=False, min_value=0, max_value=MAX_DUE_DAYS, label="Days to accept", help_text="After the issue date."
    )


class RecurringForm(ItemsForm):
    name = forms.CharField(
        max_length=RecurringInvoice._meta.get_field("name").max_length, help_text="Only you see it, for example Monthly retainer."
    )
    starts_on = SiteDateField(label="First date", help_text="All other dates are counted from it. Past dates are skipped.")
    ends_on = SiteDateField(required=False, label="Last date", help_text="Leave empty for no end.")
    every = forms.IntegerField(min_value=1, max_value=MAX_EVERY, initial=1)
    due_days = forms.IntegerField(min_value=0, max_value=MAX_DUE_DAYS, label="Days to pay", help_text="After the issue date.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self.instance.pk:
            self.initial |= defaults(Kind.INVOICE)

    def stored_items(self) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = self.instance.items
        return items

    class Meta(RecordForm.Meta):
        widgets = {"interval": forms.Select, "delivery": forms.RadioSelect}
        labels = {"delivery": "When its date comes", "interval": "Interval"}
        help_texts = {"delivery": f"“{Delivery.SEND.label}” also issues it."}


class ClientForm(RecordForm):
    country = forms.ChoiceField(required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choice: Any = self.fields["country"]
        stored = self.instance.country
        choice.choices = country_choices(stored)
        self.initial["country"] = (country_code(stored) or stored) if self.instance.pk else site_country()

    class Meta(RecordForm.Meta):
        widgets = {"notes": AdminAutoHeightTextInput(attrs={"rows": 2})}
        help_texts = {
            "contact_name": "Printed below the name on invoices, and greeted in emails.",
            "tax_id": "Printed on invoices, for example a VAT number.",
            "notes": "Only you see them.",
        }
