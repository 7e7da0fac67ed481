"""The forms of donations: recorded by hand, and changed while they recur."""

from typing import Any, ClassVar

from django import forms
from wagtail.admin.widgets import AdminAutoHeightTextInput

from cms_api.adminkit.forms import RecordForm
from cms_api.core.errors import Invalid
from cms_api.flags.selectors import site_country
from commerce.common.admin.addresses import country_choices
from commerce.common.admin.amounts import (
    REFERENCE_HELP,
    PaidOnField,
    RecordActionForm,
    method_choices,
    moment_of_payment,
)
from commerce.common.selectors import format_money
from commerce.common.types.amounts import AmountField
from commerce.common.types.money import Money
from commerce.payments.types import RECORDED

from ..models import Campaign, Fundraiser
from ..selectors.campaigns import designations_of
from ..selectors.donations import cover_of, fee_in_use
from ..types.donations import Frequency, TributeType

ADDRESS = ("street", "street2", "city", "state", "postal_code")


class DonationForm(RecordForm):
    """A donation that has arrived outside the site."""

    refused_at = {"amount_cents": "total", "anonymous": "is_anonymous", "paid_at": "paid_on"}
    #: Where refusals inside an address or a tribute are shown.
    _parts: ClassVar = {
        **{f"address.{name}": name for name in (*ADDRESS, "country")},
        "address.name": "last_name",
        **{f"tribute.{name}": f"tribute_{name}" for name in ("type", "name", "message", "email")},
    }

    total = AmountField(label="Amount")
    method = forms.ChoiceField(label="Payment method")
    paid_on = PaidOnField()
    reference = forms.CharField(required=False, help_text=REFERENCE_HELP)
    note = forms.CharField(required=False, help_text="Only you see it.")
    campaign = forms.ModelChoiceField(Campaign.objects.all(), required=False, empty_label="No campaign")
    fundraiser = forms.ModelChoiceField(
        Fundraiser.objects.all(),
        required=False,
        empty_label="No fundraiser",
        help_text="The donation then counts towards its campaign too.",
    )
    designation = forms.ChoiceField(required=False, help_text="One that the campaign offers.")
    country = forms.ChoiceField(required=False)
    tribute_type = forms.ChoiceField(required=False, label="Tribute", choices=[("", "No tribute"), *TributeType.choices])

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: Any = self.fields
        fields["method"].choices = method_choices(RECORDED)
        fields["designation"].choices = [("", "No designation"), *designation_choices()]
        fields["country"].choices = country_choices()
        self.initial["country"] = site_country()

    def values(self) -> dict[str, Any]:
        values = super().values()
        address = {name: values.pop(name) for name in (*ADDRESS, "country")}
        tribute = {name: values.pop(f"tribute_{name}") for name in ("type", "name", "message", "email")}
        return {
            **values,
            "amount_cents": values.pop("total"),
            "paid_at": moment_of_payment(values.pop("paid_on")),
            "anonymous": values.pop("is_anonymous"),
            # The country is filled in from the start.
            "address": address if any(address[name] for name in ADDRESS) else None,
            "tribute": tribute if any(tribute.values()) else None,
        }

    def refuse(self, refusal: Invalid) -> None:
        super().refuse(Invalid({self._parts.get(path, path): found for path, found in refusal.errors.items()}))

    class Meta(RecordForm.Meta):
        widgets: ClassVar = {name: AdminAutoHeightTextInput(attrs={"rows": 2}) for name in ("message", "tribute_message")}


def designation_choices() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the purposes on offer in groups, by campaign."""
    causes = [("Without a campaign", None), *((each.name, each) for each in Campaign.objects.exclude(designations=[]))]
    found = [(label, designations_of(cause)) for label, cause in causes]
    return [(label, [(each, each) for each in purposes]) for label, purposes in found if purposes]


class ChangeAmountForm(RecordActionForm):
    """Asks for the amount of a recurring donation, and whether its donor covers the fee."""

    amount_cents = AmountField(
        label="Amount", help_text="From the next date on. A lower amount also counts for a date that isn't paid yet."
    )
    covers_fee = forms.BooleanField(required=False, label="The donor covers the fee")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        amount: Any = self.fields["amount_cents"]
        amount.currency, amount.initial = self.record.currency, self.record.amount_cents
        amount.label = f"Amount a {'month' if self.record.frequency == Frequency.MONTHLY else 'year'}"
        if fee_in_use(self.record.currency).is_none:
            del self.fields["covers_fee"]
            return
        added = format_money(Money(cover_of(self.record, self.record.amount_cents), self.record.currency))
        self.fields["covers_fee"].initial = self.record.fee_cover_cents > 0
        self.fields["covers_fee"].help_text = f"{added} at the present amount."
