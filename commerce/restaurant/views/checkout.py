"""The checkout: one page that works without scripts. Everything that costs money is read from our records."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from cms_api.flags.selectors import get_setting, site_formats, site_timezone
from cms_api.text.addresses import country_code
from commerce.common.types import MAX_EMAIL, MAX_NAME, MAX_PHONE
from commerce.common.types.tax import TaxPlace
from commerce.common.views import AddressForm
from commerce.payments.selectors import is_ready
from commerce.sales.resources import Row
from commerce.sales.views import CartCheckout

from ..models import MenuCart, RestaurantOrder
from ..resources import sums
from ..selectors import hours
from ..selectors.carts import Chosen, items_of, words_of
from ..selectors.orders import ORDER_LINK
from ..selectors.pricing import Quote, quote
from ..services.placing import ASAP, PAUSED, place_order
from ..types.orders import MAX_ORDER_NOTE, MAX_TABLE, PAYABLE, TIP_PERCENTS, Fulfillment, PaymentMethod
from .cookies import cart_of, remember


class CheckoutForm(forms.Form):
    """The fields beside the address."""

    fulfillment = forms.ChoiceField(
        widget=forms.RadioSelect, error_messages={"required": "Choose how you would like to get your order."}
    )
    table = forms.CharField(max_length=MAX_TABLE, required=False, error_messages={"required": "Enter your table."})
    slot = forms.ChoiceField(label="Time", error_messages={"invalid_choice": "This time is no longer available. Choose another."})
    name = forms.CharField(max_length=2 * MAX_NAME, error_messages={"required": "Enter your name."})
    email = forms.EmailField(max_length=MAX_EMAIL, error_messages={"required": "Enter your email address."})
    phone = forms.CharField(max_length=MAX_PHONE, required=False, error_messages={"required": "Enter your phone number."})
    notes = forms.CharField(max_length=MAX_ORDER_NOTE, required=False, widget=forms.Textarea(attrs={"rows": 3}))
    tip = forms.ChoiceField(required=False)
    payment_method = forms.ChoiceField(
        widget=forms.RadioSelect, label="Payment", error_messages={"required": "Choose how you would like to pay."}
    )
    items = forms.CharField(required=False, widget=forms.HiddenInput)
    total_cents = forms.IntegerField(required=False, widget=forms.HiddenInput)
    #: The time that the page showed as the soonest one, in unix seconds.
    soonest = forms.IntegerField(required=False, min_value=0, max_value=2**32, widget=forms.HiddenInput)

    def __init__(self, *args: Any, slots: Sequence[datetime], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, Any] = self.fields
        fields["fulfillment"].choices = [(each.value, each.label) for each in hours.fulfillments()]
        methods = [each for each in hours.payment_methods() if each != PaymentMethod.ONLINE or is_ready()]
        fields["payment_method"].choices = [(each.value, each.label) for each in methods]
        fields["slot"].choices = slot_choices(slots)
        fields["tip"].choices = [(percent, f"{percent}%" if percent else "No tip") for percent in TIP_PERCENTS]
        for name, purpose in (("name", "name"), ("email", "email"), ("phone", "tel")):
            fields[name].widget.attrs["autocomplete"] = purpose
        for name in ("fulfillment", "payment_method"):
            self.initial.setdefault(name, next((value for value, _ in fields[name].choices), ""))


def slot_choices(slots: Sequence[datetime]) -> list[tuple[str, str]]:
    """Return the times to choose from, the first of them as "as soon as possible"."""
    zone, formats = site_timezone(), site_formats()
    today = timezone.localdate(timezone=zone)

    def words(slot: datetime) -> str:
        local = timezone.localtime(slot, zone)
        day = "" if local.date() == today else f"{formats.weekday_date(local.date())}, "
        return day + formats.time(local)

    soonest = [(ASAP, f"As soon as possible ({words(slots[0])})")] if slots else []
    return soonest + [(str(_seconds(slot)), words(slot)) for slot in slots]


def _seconds(slot: datetime) -> int:
    return int(slot.timestamp())


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


class Checkout(CartCheckout):
    """The forms of the page with the price that they lead to."""

    template, cart_view, payable, order_link = "restaurant/checkout.html", "restaurant_cart", PAYABLE, ORDER_LINK
    orders_per_hour = 20
    places = {"fulfillment": "fulfillment", "payment_method": "payment", "items": "", "total_cents": "", "soonest": ""}

    def __init__(self, request: HttpRequest, cart: MenuCart, items: Sequence[Chosen]) -> None:
        super().__init__(request, cart, items)
        chosen = request.POST.get("fulfillment") or next(iter(hours.fulfillments()), "")
        self.is_delivery = chosen == Fulfillment.DELIVERY
        self.is_dine_in = chosen == Fulfillment.DINE_IN
        sent = request.POST if request.method == "POST" else {}
        given = {name: sent[f"delivery-{name}"] for name in AddressForm.base_fields if f"delivery-{name}" in sent}
        self.address = AddressForm(self.data if self.is_delivery else None, prefix="delivery", initial=given)
        del self.address.fields["name"]
        code = str(self.address["postal_code"].value() or "")
        self.zone = hours.zone_of(code, self.country) if self.is_delivery else None
        self.slots = hours.offered_slots(zone=self.zone)
        initial = {name: self.typed[name] for name in CheckoutForm.base_fields if name in self.typed} if self.typed else {}
        if not initial and request.user.is_authenticated:
            initial = {"email": request.user.email, "name": request.user.get_full_name()}
        self.form = CheckoutForm(self.data, initial=initial, slots=self.slots)
        self.form.fields["phone"].required = self.is_delivery
        self.form.fields["table"].required = self.is_dine_in
        if not get_setting("restaurant.tips"):
            del self.form.fields["tip"]

    @cached_property
    def quote(self) -> Quote:
        region = str(self.address["state"].value() or "") if self.is_delivery and "state" in self.address.fields else ""
        fulfillment = Fulfillment.DELIVERY if self.is_delivery else Fulfillment.DINE_IN if self.is_dine_in else Fulfillment.PICKUP
        place = TaxPlace(self.country, region)
        return quote(
            self.items,
            zone=self.zone,
            fulfillment=fulfillment,
            customer=place,
            tip_cents=self.tip_cents,
            is_cash=self.form["payment_method"].value() == PaymentMethod.AT_STORE,
        )

    @property
    def country(self) -> str:
        """Return the ISO 3166 code of the country of a delivery; empty if it is not known, or not a delivery."""
        return country_code(str(self.address["country"].value() or "")) if self.is_delivery else ""

    @property
    def tip_cents(self) -> int:
        """Return the chosen part of the price of the items."""
        percent = str(self.form["tip"].value() or "0") if "tip" in self.form.fields else "0"
        items = sum(each.total_cents for each in self.items if not each.problem)
        return items * int(percent) // 100 if percent in map(str, TIP_PERCENTS) else 0

    def get_fields(self) -> list[forms.BoundField]:
        rest = [field for field in self.form if field.name != "fulfillment"]
        return [self.form["fulfillment"], *(self.address if self.is_delivery else ()), *rest]

    def values(self) -> dict[str, Any]:
        """Return the values that `place_order` takes."""
        values = self.form.cleaned_data
        slot = ASAP if values["slot"] == ASAP else _moment(int(values["slot"]))
        soonest = None if values["soonest"] is None else _moment(values["soonest"])
        address = {**self.address.cleaned_data, "name": values["name"]} if self.is_delivery else None
        return {**values, "slot": slot, "soonest": soonest, "delivery_address": address, "tip_cents": self.tip_cents}

    @property
    def soonest(self) -> str:
        """Return the value of the input with the soonest time; empty if there is none."""
        return str(_seconds(self.slots[0])) if self.slots else ""

    def place(self, network: str) -> RestaurantOrder:
        return place_order(cart=self.cart, values=self.values(), user=self.request.user, network=network)

    def remember(self, response: HttpResponse, order: RestaurantOrder) -> HttpResponse:
        return remember(response, self.cart)

    def get_sums(self) -> list[Row]:
        return sums.of_quote(self.quote)

    def get_notice(self) -> str:
        return PAUSED if hours.is_paused() else ""

    def get_context(self) -> dict[str, Any]:
        return {"address": self.address, "item_words": words_of(self.items)}


checkout = Checkout.as_view(cart_of, items_of)
