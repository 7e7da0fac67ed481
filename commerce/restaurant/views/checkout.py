"""The checkout: one page that works without scripts. Everything that costs money is read from our records."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from cms_api.auth.selectors import client_ip
from cms_api.auth.services import visitors
from cms_api.flags.selectors import get_setting, site_formats, site_timezone
from cms_api.text.addresses import country_code
from commerce.common.types import MAX_EMAIL, MAX_NAME, MAX_PHONE
from commerce.common.types.tax import TaxPlace
from commerce.common.views import NO_ERRORS, AddressForm, sentences_of
from commerce.payments.selectors import is_ready
from commerce.payments.views import redirect_to_payment
from commerce.sales.views import answer_checkout, checkout_once

from ..models import MenuCart, RestaurantOrder
from ..resources import sums
from ..selectors import hours
from ..selectors.carts import items_of, words_of
from ..selectors.orders import ORDER_LINK
from ..selectors.pricing import quote
from ..services.placing import ASAP, PAUSED, place_order
from ..types.orders import MAX_ORDER_NOTE, MAX_TABLE, PAYABLE, TIP_PERCENTS, Fulfillment, PaymentMethod
from .cookies import cart_of, remember

#: Orders that one address may place in an hour.
ORDERS_PER_HOUR = 20
EMPTY = "Nothing is left in your cart that can be ordered."


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


class Checkout:
    """The forms of the page with the price that they lead to."""

    def __init__(self, request: HttpRequest, cart: MenuCart) -> None:
        self.items = items_of(cart)
        #: The input to place; or the input to calculate again, which may be incomplete.
        self.data = request.POST if request.method == "POST" and "update" not in request.POST else None
        self.typed = request.POST if request.method == "POST" and self.data is None else None
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
        self.quote = self._quote()

    def _quote(self) -> Any:
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

    def errors(self) -> list[tuple[str, str]]:
        """Return every error with the id of its input, in the order of the page."""
        first = [self.form["fulfillment"]]
        rest = [*(self.address if self.is_delivery else ()), *(field for field in self.form if field.name != "fulfillment")]
        wrong = [(field, str(sentence)) for field in (*first, *rest) for sentence in field.errors]
        places = {"fulfillment": "fulfillment", "payment_method": "payment", "items": "", "total_cents": "", "soonest": ""}
        return [(sentence, places.get(field.name, field.id_for_label)) for field, sentence in wrong]

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


@cache_control(private=True, no_store=True)
@require_http_methods(["GET", "HEAD", "POST"])
@checkout_once
def checkout(request: HttpRequest) -> HttpResponse:
    cart = cart_of(request)
    if cart is None or not items_of(cart):
        if request.method == "POST":
            messages.error(request, EMPTY)
        return redirect("restaurant_cart")
    page = Checkout(request, cart)
    if page.data is None:
        return _show(request, page)
    if errors := page.errors():
        return _show(request, page, wrong=errors, status=422)
    return answer_checkout(
        place=lambda: _place(request, cart, page),
        lead_on=lambda order: remember(_lead_on(request, order), cart),
        show=partial(_show, request, page),
    )


def _place(request: HttpRequest, cart: MenuCart, page: Checkout) -> RestaurantOrder:
    visitors.limit(purpose="restaurant:checkout", address=client_ip(request), an_hour=ORDERS_PER_HOUR)
    network = visitors.network_key(client_ip(request))
    return place_order(cart=cart, values=page.values(), user=request.user, network=network)


def _lead_on(request: HttpRequest, order: RestaurantOrder) -> HttpResponse:
    """Lead to the payment page, or, where that cannot be, to the order's, from where it can be tried again."""
    if not order.is_pending or order.is_processing:
        return redirect(ORDER_LINK.path(order))
    return redirect_to_payment(request, payable=PAYABLE, record_id=order.pk, back=ORDER_LINK.path(order))


def _show(
    request: HttpRequest,
    page: Checkout,
    *,
    errors: Mapping[str, Sequence[str]] = NO_ERRORS,
    notice: str = "",
    wrong: Sequence[tuple[str, str]] = (),
    status: int = 200,
) -> HttpResponse:
    """Show the page. The service's `errors` are said above the form, and what is `wrong` with the input at its places."""
    shown = {
        "errors": wrong,
        "page": page,
        "form": page.form,
        "address": page.address,
        "quote": page.quote,
        "items": page.items,
        "item_words": words_of(page.quote.items),
        "sums": sums.of_quote(page.quote),
        "notice": notice or " ".join(sentences_of(errors)) or (PAUSED if hours.is_paused() else ""),
    }
    return render(request, "restaurant/checkout.html", shown, status=status)
