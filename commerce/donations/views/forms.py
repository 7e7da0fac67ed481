"""The forms of the public pages. Whatever they refuse is refused at its field."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.http import QueryDict

from cms_api.core.errors import Invalid
from cms_api.flags.selectors import site_formats
from cms_api.http.query import whole_number
from cms_api.text.currencies import exponent
from commerce.common.selectors import format_money
from commerce.common.services.checks import steps_refusal
from commerce.common.types import MAX_EMAIL, MAX_NAME, MAX_PHONE
from commerce.common.types.amounts import as_instruction, parse_amount, typed_amount
from commerce.common.types.money import Money, is_payable, payable_step
from commerce.common.views import RadioButtons

from ..models import Campaign, RecurringDonation
from ..resources.pages import amount_text
from ..selectors.campaigns import amounts_of, designations_of
from ..selectors.donations import cover_of, fee_cover, fee_in_use, largest_donation, smallest_donation
from ..types.donations import LARGEST_DONATION, MAX_MESSAGE, MAX_STORY, MAX_TITLE, Frequency, TributeType

OTHER = "other"
#: Characters of a typed amount.
MAX_AMOUNT_CHARACTERS = 20
NO_EMAIL = {"required": "Enter your email address."}


def read_cents(text: str, *, currency: str = "", most: int | None = None) -> int:
    """Read a typed amount that can be donated, or be a goal of at `most` so much, in minor units. Raises ValidationError.

    The currency is the site's if not given.
    """
    currency = currency or settings.SITE_CURRENCY
    try:
        cents = parse_amount(text, currency).cents
    except Invalid as refusal:
        raise forms.ValidationError(as_instruction(refusal)) from None
    least = smallest_donation(currency)
    if not is_payable(cents, currency):
        raise forms.ValidationError(steps_refusal(currency))
    if cents < least:
        raise forms.ValidationError(f"Enter an amount of at least {format_money(Money(least, currency))}.")
    most = largest_donation(currency) if most is None else most
    if cents > most:
        raise forms.ValidationError(f"Enter an amount of at most {format_money(Money(most, currency))}.")
    return cents


class AmountForm(forms.Form):
    """The amount and how often it is donated. A valid one has `amount_cents` in `cleaned_data`."""

    frequency = forms.ChoiceField(
        choices=Frequency.choices,
        initial=Frequency.ONCE,
        widget=RadioButtons,
        error_messages={"required": "Choose how often you'd like to donate.", "invalid_choice": "Choose a frequency."},
    )
    amount = forms.ChoiceField(
        widget=RadioButtons, error_messages=dict.fromkeys(("required", "invalid_choice"), "Choose an amount.")
    )
    other_amount = forms.CharField(max_length=MAX_AMOUNT_CHARACTERS, required=False)

    def __init__(self, campaign: Campaign | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        suggested = amounts_of(campaign)
        amount: Any = self.fields["amount"]
        amount.choices = [*((str(each.cents), amount_text(each)) for each in suggested), (OTHER, "Other")]
        amount.initial = str(suggested[0].cents)

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        if "amount" in cleaned and "other_amount" in cleaned:
            is_other = cleaned["amount"] == OTHER
            try:
                # A suggested amount may be less than the least one.
                cleaned["amount_cents"] = read_cents(
                    cleaned["other_amount"] if is_other else self._format_cents(cleaned["amount"])
                )
            except forms.ValidationError as refusal:
                self.add_error("other_amount" if is_other else "amount", refusal)
        return cleaned

    @staticmethod
    def _format_cents(cents: str) -> str:
        return typed_amount(int(cents))

    @property
    def currency(self) -> str:
        return settings.SITE_CURRENCY.upper()

    @classmethod
    def initial_of(cls, query: QueryDict, campaign: Campaign | None) -> dict[str, str]:
        """Return the choices that a link to the form makes. An amount that is not suggested is an other one."""
        found = {name: str(query[name]) for name in ("amount", "other_amount", "frequency") if name in query}
        if found.get("frequency") not in Frequency.values:
            found.pop("frequency", None)
        amount = found.get("amount", "")
        if amount not in {OTHER, *(str(each.cents) for each in amounts_of(campaign))}:
            found.pop("amount", None)
            cents = whole_number(amount)
            if cents is not None and 0 < cents <= LARGEST_DONATION:
                found |= {"amount": OTHER, "other_amount": cls._format_cents(str(cents))}
        found["other_amount"] = found.get("other_amount", "")[:MAX_AMOUNT_CHARACTERS]
        return found


class DonationForm(AmountForm):
    """A donation without its postal address."""

    covers_fee = forms.BooleanField(required=False)
    designation = forms.ChoiceField(
        required=False, label="Use my donation for", error_messages={"invalid_choice": "Choose a purpose."}
    )
    tribute_type = forms.ChoiceField(choices=[("", "No dedication"), *TributeType.choices], required=False, widget=RadioButtons)
    tribute_name = forms.CharField(
        max_length=2 * MAX_NAME, label="Name of the person", error_messages={"required": "Enter the name of the person."}
    )
    tribute_message = forms.CharField(
        max_length=MAX_MESSAGE, required=False, label="Personal message", widget=forms.Textarea(attrs={"rows": 3})
    )
    tribute_email = forms.EmailField(max_length=MAX_EMAIL, required=False, label="Email address to notify")
    first_name = forms.CharField(max_length=MAX_NAME, required=False, label="First name")
    last_name = forms.CharField(max_length=MAX_NAME, label="Last name", error_messages={"required": "Enter your last name."})
    email = forms.EmailField(max_length=MAX_EMAIL, label="Email address", error_messages=NO_EMAIL)
    phone = forms.CharField(max_length=MAX_PHONE, required=False, label="Phone number")
    anonymous = forms.BooleanField(required=False, label="Don't show my name in public")
    message = forms.CharField(max_length=MAX_MESSAGE, required=False, label="Message", widget=forms.Textarea(attrs={"rows": 3}))

    def __init__(self, campaign: Campaign | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(campaign, *args, **kwargs)
        designation: Any = self.fields["designation"]
        if offered := designations_of(campaign):
            designation.choices = [("", "Where it's needed most"), *((each, each) for each in offered)]
        else:
            del self.fields["designation"]
        known = {"first_name": "given-name", "last_name": "family-name", "email": "email", "phone": "tel", "tribute_email": "off"}
        for name, purpose in known.items():
            self.fields[name].widget.attrs["autocomplete"] = purpose

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if not cleaned.get("tribute_type"):
            # The inputs are hidden without a dedication.
            for name in ("tribute_name", "tribute_message", "tribute_email"):
                self.errors.pop(name, None)
                cleaned[name] = ""
        return cleaned

    @property
    def chosen_cents(self) -> int | None:
        """Return the amount as it is chosen now; None for one that cannot be donated."""
        chosen = str(self["amount"].value() or "")
        typed = str(self["other_amount"].value() or "") if chosen == OTHER else None
        try:
            return read_cents(self._format_cents(chosen) if typed is None else typed)
        except (forms.ValidationError, ValueError):
            return None

    def values(self, address: Mapping[str, str] | None) -> dict[str, Any]:
        """Return the values that `services.give` takes."""
        cleaned = self.cleaned_data
        tribute = {name: cleaned[f"tribute_{name}"] for name in ("type", "name", "message", "email")}
        return {**cleaned, "address": address, "tribute": tribute if tribute["type"] else None}

    #: Names of services to those of inputs.
    PLACES = {
        "amount_cents": "amount",
        "tribute.type": "tribute_type",
        "tribute.name": "tribute_name",
        "tribute.message": "tribute_message",
        "tribute.email": "tribute_email",
    }


class NewAmountForm(forms.Form):
    """The amount of a recurring donation, in its `currency`."""

    other_amount = forms.CharField(
        max_length=MAX_AMOUNT_CHARACTERS,
        widget=forms.TextInput({"inputmode": "decimal"}),
        error_messages={"required": "Enter an amount."},
    )
    covers_fee = forms.BooleanField(required=False)

    def __init__(self, *args: Any, currency: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.currency = currency
        self.fields["other_amount"].label = f"Amount in {currency.upper()}"

    def clean_other_amount(self) -> str:
        typed: str = self.cleaned_data["other_amount"]
        self.cleaned_data["amount_cents"] = read_cents(typed, currency=self.currency)
        return typed

    @property
    def chosen_cents(self) -> int | None:
        try:
            return read_cents(str(self["other_amount"].value() or ""), currency=self.currency)
        except forms.ValidationError:
            return None


class FundraiserForm(forms.Form):
    """The text and the goal of a fundraiser, and its organizer."""

    name = forms.CharField(
        max_length=MAX_TITLE,
        label="Title",
        help_text="For example: Noor runs for the kiln",
        error_messages={"required": "Enter a title."},
    )
    story = forms.CharField(
        max_length=MAX_STORY,
        required=False,
        label="Your story",
        help_text="Tell people why you're raising money.",
        widget=forms.Textarea(attrs={"rows": 8}),
    )
    goal = forms.CharField(max_length=MAX_AMOUNT_CHARACTERS, required=False, widget=forms.TextInput({"inputmode": "decimal"}))
    organizer = forms.CharField(
        max_length=2 * MAX_NAME,
        label="Your name",
        help_text="Shown on the page.",
        error_messages={"required": "Enter your name."},
    )
    email = forms.EmailField(max_length=MAX_EMAIL, label="Your email address", help_text="Not shown.", error_messages=NO_EMAIL)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["goal"].label = f"Goal in {settings.SITE_CURRENCY.upper()}"
        self.fields["organizer"].widget.attrs["autocomplete"] = "name"
        self.fields["email"].widget.attrs["autocomplete"] = "email"

    def clean_goal(self) -> str:
        typed: str = self.cleaned_data["goal"]
        self.cleaned_data["goal_cents"] = read_cents(typed, most=LARGEST_DONATION) if typed else None
        return typed

    def values(self) -> dict[str, Any]:
        """Return the values that `services.save_fundraiser` takes."""
        return {name: value for name, value in self.cleaned_data.items() if name != "goal"}


def fee_of(cents: int | None, recurring: RecurringDonation | None = None) -> dict[str, Any]:
    """Return how the fee is covered: words for an amount, and all that the script needs to calculate them; empty if it is not.

    The amount is one of a recurring donation, or a new one in the site's currency.
    """
    currency, formats = recurring.currency if recurring else settings.SITE_CURRENCY, site_formats()
    fee = fee_in_use(currency)
    if fee.is_none:
        return {}
    example = ""
    if cents is not None:
        more = cover_of(recurring, cents) if recurring else fee_cover(Money(cents, currency))
        amount, added, total = (amount_text(Money(each, currency)) for each in (cents, more, cents + more))
        example = f"For {amount}, this adds {added}: {total} in total."
    return {
        "example": example,
        "basis_points": fee.basis_points,
        "fixed_cents": fee.fixed_cents,
        "present": recurring if recurring and recurring.fee_cover_cents else None,
        "step": payable_step(currency),
        "currency": currency.upper(),
        "exponent": exponent(currency),
        "locale": str(formats.locale).replace("_", "-"),
        "separators": formats.separators,
    }
