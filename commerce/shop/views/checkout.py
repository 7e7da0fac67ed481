"""The checkout: one page that works without scripts. Everything that costs money is read from our records."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse

from cms_api.core.errors import Invalid
from cms_api.flags.selectors import is_on
from cms_api.text.addresses import country_code
from commerce.common.types import MAX_EMAIL, MAX_PHONE
from commerce.common.types.money import Money
from commerce.common.types.tax import TaxPlace
from commerce.common.views import AddressForm
from commerce.payments.selectors import is_ready, payment_refusal
from commerce.sales.resources import Row
from commerce.sales.views import CartCheckout

from ..models import Cart, CartItem, Order
from ..resources import sums
from ..selectors import pricing
from ..selectors.carts import items_of, lines_of, pending_order, words_of
from ..selectors.orders import ORDER_LINK
from ..selectors.pricing import Quote
from ..services.placing import place_order
from ..types.orders import MAX_NOTE, PAYABLE
from .cookies import cart_of, remember


class CheckoutForm(forms.Form):
    """The fields beside the addresses."""

    email = forms.EmailField(max_length=MAX_EMAIL, error_messages={"required": "Enter your email address."})
    phone = forms.CharField(max_length=MAX_PHONE, required=False)
    same_address = forms.BooleanField(required=False, label="Billing address is the same")
    shipping_method = forms.IntegerField(required=False, error_messages={"invalid": "Choose a shipping method."})
    note = forms.CharField(max_length=MAX_NOTE, required=False, widget=forms.Textarea(attrs={"rows": 3}), label="Note")
    wants_news = forms.BooleanField(required=False, label="Email me news and offers")
    items = forms.CharField(required=False, widget=forms.HiddenInput)
    total_cents = forms.IntegerField(
        required=False, widget=forms.HiddenInput, error_messages={"invalid": "Review your order and try again."}
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"].widget.attrs["autocomplete"] = "email"
        self.fields["phone"].widget.attrs["autocomplete"] = "tel"
        if not is_on("marketing"):
            del self.fields["wants_news"]


def _place_of(address: AddressForm) -> TaxPlace:
    """Return the place that a form has, which may be incomplete."""
    return TaxPlace(country_code(str(address["country"].value() or "")), str(address["state"].value() or ""))


class Checkout(CartCheckout):
    """The forms of the page with the price that they lead to."""

    template, cart_view, payable, order_link, orders_per_hour = "shop/checkout.html", "shop_cart", PAYABLE, ORDER_LINK, 30
    places = {"shipping_method": "shipping-methods", "items": "", "total_cents": ""}

    def __init__(self, request: HttpRequest, cart: Cart, items: Sequence[CartItem]) -> None:
        super().__init__(request, cart, items)
        self.is_shipped = any(not item.variant.product.is_digital for item in self.items)
        self.order = pending_order(cart)
        self.form = CheckoutForm(self.data, initial=self._initial(request))
        self.shipping = AddressForm(self.data, prefix="shipping", initial=self._address("shipping")) if self.is_shipped else None
        billed = self.data if self.has_own_billing else None
        self.billing = AddressForm(billed, prefix="billing", section="billing", initial=self._address("billing"))

    def _initial(self, request: HttpRequest) -> dict[str, Any]:
        if self.typed is not None:
            return {name: self.typed.get(name, "") for name in CheckoutForm().fields}
        initial: dict[str, Any] = {"same_address": True}
        if self.order is not None:
            initial |= {"email": self.order.email, "phone": self.order.phone, "note": self.order.customer_note}
            initial["same_address"] = self.order.billing_address == self.order.shipping_address
        elif request.user.is_authenticated:
            initial["email"] = request.user.email
        return initial

    def _address(self, kind: str) -> dict[str, Any]:
        sent = self.typed if self.data is None else self.data
        if sent is not None:
            return {name: sent.get(f"{kind}-{name}", "") for name in AddressForm.base_fields if f"{kind}-{name}" in sent}
        return dict(getattr(self.order, f"{kind}_address") or {}) if self.order else {}

    @cached_property
    def quote(self) -> Quote:
        billed = _place_of(self.billing if self.has_own_billing else self.shipping or self.billing)
        place = _place_of(self.shipping) if self.shipping else billed
        return pricing.quote(
            lines_of(self.items),
            place=place,
            billed=billed,
            code=self.cart.discount_code,
            order=self.order,
            method=self._method(),
            # The first one is chosen until the customer chooses.
            chooses_first=self.data is None,
        )

    def _method(self) -> int | None:
        typed = str(self.form["shipping_method"].value() or "")
        return int(typed) if typed.isascii() and typed.isdecimal() and len(typed) < 19 else None

    @property
    def has_own_billing(self) -> bool:
        return not self.is_shipped or not self.form["same_address"].value()

    @property
    def payment_refusal(self) -> str:
        """Return why the total can't be paid; empty if it can."""
        return payment_refusal(Money(self.quote.totals.total_cents, self.quote.currency))

    def get_fields(self) -> list[forms.BoundField]:
        return [*self.form, *(self.shipping or ()), *(self.billing if self.has_own_billing else ())]

    def values(self) -> dict[str, Any]:
        """Return the values that `place_order` takes."""
        shipping = self.shipping.cleaned_data if self.shipping else None
        billing = self.billing.cleaned_data if self.has_own_billing else None
        return {
            **self.form.cleaned_data,
            "name": (shipping or billing or {}).get("name", ""),
            "shipping_address": shipping,
            "billing_address": billing,
        }

    def place(self, network: str) -> Order:
        if not is_ready() and (refusal := self.payment_refusal):
            raise Invalid({"payment": refusal})
        return place_order(cart=self.cart, values=self.values(), user=self.request.user, network=network)

    def remember(self, response: HttpResponse, order: Order) -> HttpResponse:
        return remember(response, self.cart)

    def get_sums(self) -> list[Row]:
        return sums.of_quote(self.quote)

    def get_notice(self) -> str:
        return self.quote.code_problem

    def get_context(self) -> dict[str, Any]:
        return {"shipping": self.shipping, "billing": self.billing, "item_words": words_of(lines_of(self.items))}


checkout = Checkout.as_view(cart_of, items_of)
