"""The checkout: one page that works without scripts. Everything that costs money is read from our records."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from cms_api.auth.selectors import client_ip
from cms_api.auth.services import visitors
from cms_api.flags.selectors import is_on
from cms_api.text.addresses import country_code
from commerce.common.types import MAX_EMAIL, MAX_PHONE
from commerce.common.types.money import Money
from commerce.common.types.tax import TaxPlace
from commerce.common.views import NO_ERRORS, AddressForm, sentences_of
from commerce.payments.selectors import payment_refusal
from commerce.payments.views import redirect_to_payment
from commerce.sales.views import answer_checkout, checkout_once

from ..models import Cart, Order
from ..resources import sums
from ..selectors import pricing
from ..selectors.carts import items_of, lines_of, pending_order, words_of
from ..selectors.orders import ORDER_LINK
from ..selectors.pricing import Quote
from ..services.placing import place_order
from ..types.orders import MAX_NOTE, PAYABLE
from .cookies import cart_of, remember

#: Orders that one address may place in an hour; each reserves stock.
ORDERS_PER_HOUR = 30

EMPTY = "Nothing is left in your cart that can be ordered."


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


#: The ids that errors of fields lead to which are no single input.
_PLACES = {"shipping_method": "shipping-methods", "items": "", "total_cents": ""}


def _place_of(address: AddressForm) -> TaxPlace:
    """Return the place that a form has, which may be incomplete."""
    return TaxPlace(country_code(str(address["country"].value() or "")), str(address["state"].value() or ""))


class Checkout:
    """The forms of the page with the price that they lead to."""

    def __init__(self, request: HttpRequest, cart: Cart) -> None:
        self.cart = cart
        self.items = items_of(cart)
        self.is_shipped = any(not item.variant.product.is_digital for item in self.items)
        #: The input to place; or the input to calculate again, which may be incomplete.
        self.data = request.POST if request.method == "POST" and "update" not in request.POST else None
        self.typed = request.POST if request.method == "POST" and self.data is None else None
        self.order = pending_order(cart)
        self.form = CheckoutForm(self.data, initial=self._initial(request))
        self.shipping = AddressForm(self.data, prefix="shipping", initial=self._address("shipping")) if self.is_shipped else None
        billed = self.data if self.has_own_billing else None
        self.billing = AddressForm(billed, prefix="billing", section="billing", initial=self._address("billing"))
        self.quote = self._quote()

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

    def _quote(self) -> Quote:
        billed = _place_of(self.billing if self.has_own_billing else self.shipping or self.billing)
        place = _place_of(self.shipping) if self.shipping else billed
        quote = partial(
            pricing.quote, lines_of(self.items), place=place, billed=billed, code=self.cart.discount_code, order=self.order
        )
        priced = quote(method=self._method())
        if priced.shipping and priced.method is None and self.data is None:
            # The first one is chosen until the customer chooses.
            first = priced.shipping[0][0].pk
            priced = quote(method=first)
        return priced

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

    def errors(self) -> list[tuple[str, str]]:
        """Return every error with the id of its input, in the order of the page."""
        asked = [self.form, *([self.shipping] if self.shipping else []), *([self.billing] if self.has_own_billing else [])]
        wrong = [(form[name], str(sentence)) for form in asked for name, found in form.errors.items() for sentence in found]
        return [(sentence, _PLACES.get(field.name, field.id_for_label)) for field, sentence in wrong]

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


@cache_control(private=True, no_store=True)
@require_http_methods(["GET", "HEAD", "POST"])
@checkout_once
def checkout(request: HttpRequest) -> HttpResponse:
    cart = cart_of(request)
    if cart is None or not items_of(cart):
        if request.method == "POST":
            messages.error(request, EMPTY)
        return redirect("shop_cart")
    page = Checkout(request, cart)
    if page.data is None:
        return _show(request, page)
    if errors := page.errors():
        return _show(request, page, wrong=errors, status=422)
    if why := page.payment_refusal:
        return _show(request, page, notice=why, status=422)
    return answer_checkout(
        place=lambda: _place(request, page),
        lead_on=lambda order: remember(_lead_on(request, order), cart),
        show=partial(_show, request, page),
    )


def _place(request: HttpRequest, page: Checkout) -> Order:
    visitors.limit(purpose="shop:checkout", address=client_ip(request), an_hour=ORDERS_PER_HOUR)
    network = visitors.network_key(client_ip(request))
    return place_order(cart=page.cart, values=page.values(), user=request.user, network=network)


def _lead_on(request: HttpRequest, order: Order) -> HttpResponse:
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
        "shipping": page.shipping,
        "billing": page.billing,
        "quote": page.quote,
        "items": page.items,
        "item_words": words_of(lines_of(page.items)),
        "sums": sums.of_quote(page.quote),
        "notice": notice or " ".join(sentences_of(errors)) or page.quote.code_problem,
    }
    return render(request, "shop/checkout.html", shown, status=status)
