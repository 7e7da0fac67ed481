"""Forms of buttons that ask for an amount of money of a record."""

from collections.abc import Sequence
from datetime import date, datetime, time
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator
from django.utils import timezone

from cms_api.adminkit.forms import SiteDateField
from cms_api.adminkit.transitions import Review, ReviewedForm
from cms_api.core.errors import Invalid
from cms_api.flags.selectors import site_timezone

from ..selectors import format_money
from ..types.amounts import AmountField
from ..types.money import Money

#: The first day on which a payment can have been made.
EPOCH = date(1970, 1, 1)
REFERENCE_HELP = "For example the number of a check or a bank transfer."


def use_currency(form: forms.Form | forms.ModelForm, currency: str, *names: str) -> None:
    """Let fields take amounts in the currency of the form's record, and show it; that of the site if it is empty."""
    for name in names:
        field: Any = form.fields[name]
        field.currency = currency
        field.label = f"{field.label or name.capitalize()} ({(currency or settings.SITE_CURRENCY).upper()})"
    first = form.fields[names[0]]
    first.help_text = f"{first.help_text} {kept_currency(currency)}".strip()


def kept_currency(currency: str) -> str:
    """Return a sentence about a record that keeps another currency than the site's; empty about any other."""
    if currency in {"", settings.SITE_CURRENCY}:
        return ""
    return f"Stays in {currency.upper()}. For amounts in {settings.SITE_CURRENCY.upper()}, create a new one."


def method_choices(methods: Sequence[Any]) -> list[tuple[str, str]]:
    return [(each.value, each.label) for each in methods]


def moment_of_payment(day: date | None) -> datetime | None:
    """Return noon of the day on the site's clock; None, which stands for now, if it is today or not given."""
    is_today = day is None or day == timezone.localdate(timezone=site_timezone())
    return None if day is None or is_today else datetime.combine(day, time(12), tzinfo=site_timezone())


class PaidOnField(SiteDateField):
    """The day on which money arrived; see `moment_of_payment`."""

    def __init__(self, **options: Any) -> None:
        validators = [MinValueValidator(EPOCH)]
        given = {"label": "Paid on", "required": False, "validators": validators}
        super().__init__(**{**given, "help_text": "Leave empty for today.", **options})


class RecordActionForm(forms.Form):
    """The form of a button of a record, the `record`."""

    def __init__(self, *args: Any, record: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.record = record


class AmountForm(RecordActionForm):
    """Asks for an amount. It sends along the most that it may be, so that a repeated form does nothing twice."""

    amount_cents = AmountField(label="Amount")
    most_cents = forms.IntegerField(widget=forms.HiddenInput, required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.most = self.most_of(self.record)
        amount: Any = self.fields["amount_cents"]
        amount.currency = self.currency_of(self.record)
        amount.initial = self.fields["most_cents"].initial = self.most
        amount.label = f"Amount (at most {format_money(Money(self.most, amount.currency))})"

    def currency_of(self, record: Any) -> str:
        code: str = record.currency
        return code

    def most_of(self, record: Any) -> int:
        raise NotImplementedError

    def clean(self) -> dict[str, Any]:
        # Above the form, because the field is hidden.
        if self.cleaned_data.get("most_cents") != self.most:
            name = self.record._meta.verbose_name
            raise ValidationError(f"This {name} has changed in the meantime. Check the amount.")
        return super().clean() or {}


class RefundForm(AmountForm, ReviewedForm):
    reason = forms.CharField(max_length=500, required=False, help_text="Only you see it.")

    def review(self) -> Review:
        cents = self.cleaned_data["amount_cents"]
        return refund_review(Money(cents, self.currency_of(self.record)), of=self.most, by_hand=self.check(cents))

    def check(self, amount_cents: int) -> int:
        """Raise Invalid if the amount can't be given back to where it came from; see `payments.services.check_refund`."""
        raise NotImplementedError


def by_hand_words(cents: int, amount: Money) -> str:
    """Return that so many minor units of a refunded amount were recorded by hand, and don't go back by themselves."""
    if not cents:
        return ""
    which = "It" if cents == amount.cents else f"{format_money(Money(cents, amount.currency))} of it"
    return f"{which} wasn't paid online: give that back yourself, such as by bank transfer. The refund is recorded."


def refund_review(amount: Money, *, of: int, by_hand: int, more: str = "") -> Review:
    """Return the second step of a refund, out `of` so many minor units that are left, with a sentence `more`.

    Raises Invalid (`amount_cents`) if it is not within that. `by_hand` minor units of it are given back by a person.
    """
    left = format_money(Money(of, amount.currency))
    if not 0 < amount.cents <= of:
        raise Invalid({"amount_cents": f"Enter an amount of at most {left}." if of else "Nothing is left to refund."})
    what = "Everything that is left" if amount.cents == of else f"{format_money(amount)} of the {left} that is left"
    sentences = (f"{what} goes back to the customer.", by_hand_words(by_hand, amount), more)
    return Review(f"Refund {format_money(amount)}", " ".join(filter(None, sentences)))


class RecordedPaymentForm(AmountForm):
    """Asks for money that has arrived outside the site."""

    #: Members of an enum of methods.
    methods: ClassVar[Sequence[Any]] = ()

    method = forms.ChoiceField()
    paid_at = PaidOnField()
    reference = forms.CharField(required=False, help_text=REFERENCE_HELP)
    note = forms.CharField(required=False, help_text="Only you see it.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        method: Any = self.fields["method"]
        method.choices = method_choices(self.methods)

    def clean_paid_at(self) -> datetime | None:
        return moment_of_payment(self.cleaned_data["paid_at"])
