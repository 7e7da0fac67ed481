"""The common part of checkouts: from the order that is placed to its payment, or back to the form."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, wraps
from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from cms_api.auth.selectors import client_ip
from cms_api.auth.services import visitors
from cms_api.core.errors import Invalid, TooManyAttempts
from cms_api.forms.services.answering import Show, carry_out_once, digest_of
from cms_api.forms.types.inputs import FLOOD_NOTICE, SENT_NOTICE
from cms_api.http.signed_links import SignedLink
from commerce.common.views import NO_ERRORS, sentences_of
from commerce.payments.views import redirect_to_payment

from .resources import Row
from .services import AlreadyPaid

#: For how long a checkout is remembered: later, the same input may place an order anew, or open another payment page.
REMEMBERED_SECONDS = 60
EMPTY = "Nothing is left in your cart that can be ordered."
UNREACHABLE = "We couldn't reach the payment provider. Please try again."


def checkout_once(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Let a second click on a checkout lead to where the first one has led.

    The cookies have the cart, and the path of a reservation has its token: they tell visitors apart.
    """

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method != "POST":
            return view(request, *args, **kwargs)

        def wait() -> HttpResponse:
            messages.info(request, SENT_NOTICE)
            return redirect(request.get_full_path())

        key = digest_of(request, request.META.get("HTTP_COOKIE", ""))
        return carry_out_once(key, lambda: view(request, *args, **kwargs), wait, seconds=REMEMBERED_SECONDS)

    return answer


def answer_checkout(*, place: Callable[[], Any], lead_on: Callable[[Any], HttpResponse], show: Show) -> HttpResponse:
    """Place an order and lead on from it: to its payment, or to its page; show the checkout again if it is refused.

    `place` may raise Invalid, TooManyAttempts and AlreadyPaid. An order that has been paid by now is shown, unless only nobody
    could be asked whether it has.
    """
    try:
        order = place()
    except AlreadyPaid as paid:
        order = paid.sale
        order.refresh_from_db()
        if order.is_pending and not order.is_processing:
            return show(errors={}, notice=UNREACHABLE, status=422)
    except TooManyAttempts as refusal:
        response = show(errors={}, notice=FLOOD_NOTICE, status=429)
        response.headers["Retry-After"] = refusal.headers["Retry-After"]
        return response
    except Invalid as refusal:
        return show(errors=refusal.errors, notice="", status=422)
    return lead_on(order)


def lead_to_payment(request: HttpRequest, order: Any, *, payable: str, link: SignedLink[Any]) -> HttpResponse:
    """Lead to the payment page of an order, or, where that cannot be, to its own, from where it can be tried again."""
    if not order.is_pending or order.is_processing:
        return redirect(link.path(order))
    return redirect_to_payment(request, payable=payable, record_id=order.pk, back=link.path(order))


class CartCheckout:
    """The checkout of a cart: one page that works without scripts. A kind says what it asks for, and what that costs.

    The cart is read once, and its price is calculated when it is shown: what an order costs is calculated again as it is placed.
    """

    template: ClassVar[str]
    #: Where an empty cart leads to.
    cart_view: ClassVar[str]
    payable: ClassVar[str]
    order_link: ClassVar[SignedLink[Any]]
    #: Orders that one address may place in an hour; each reserves what it orders.
    orders_per_hour: ClassVar[int]
    #: The ids that errors of fields lead to which are no single input.
    places: ClassVar[Mapping[str, str]] = {}

    form: forms.Form

    def __init__(self, request: HttpRequest, cart: Any, items: Sequence[Any]) -> None:
        self.request, self.cart, self.items = request, cart, items
        sent = request.POST if request.method == "POST" else None
        is_changed = sent is not None and "update" in sent
        #: The input to place; or the input to calculate again, which may be incomplete.
        self.data: Any = None if is_changed else sent
        self.typed: Any = sent if is_changed else None

    @classmethod
    def as_view(cls, find: Callable[[HttpRequest], Any], read: Callable[[Any], Sequence[Any]]) -> Callable[..., HttpResponse]:
        """Return the view. `find` returns the cart of a visitor, and `read` its items."""

        @cache_control(private=True, no_store=True)
        @require_http_methods(["GET", "HEAD", "POST"])
        @checkout_once
        def checkout(request: HttpRequest) -> HttpResponse:
            cart = find(request)
            items = read(cart) if cart is not None else ()
            if items:
                return cls(request, cart, items).answer()
            if request.method == "POST":
                messages.error(request, EMPTY)
            return redirect(cls.cart_view)

        return checkout

    @cached_property
    def quote(self) -> Any:
        """Return the price of the items for what has been entered."""
        raise NotImplementedError

    def get_fields(self) -> Sequence[forms.BoundField]:
        """Return the fields that are asked for, in the order of the page."""
        return list(self.form)

    def place(self, network: str) -> Any:
        """Place the order of the valid input for a visitor of a network. May raise Invalid and AlreadyPaid."""
        raise NotImplementedError

    def remember(self, response: HttpResponse, order: Any) -> HttpResponse:
        """Set the cookies of the cart as it is once its order is placed."""
        raise NotImplementedError

    def get_sums(self) -> list[Row]:
        """Return the sums of the price."""
        raise NotImplementedError

    def get_notice(self) -> str:
        """Return a sentence above the form; empty if there is nothing to say."""
        return ""

    def get_context(self) -> dict[str, Any]:
        """Return what else the template needs."""
        return {}

    def answer(self) -> HttpResponse:
        if self.data is None:
            return self.show()
        wrong = [
            (str(sentence), self.places.get(field.name, field.id_for_label))
            for field in self.get_fields()
            for sentence in field.errors
        ]
        if wrong:
            return self.show(wrong=wrong, status=422)
        return answer_checkout(place=self._place, lead_on=self._lead_on, show=self.show)

    def _place(self) -> Any:
        address = client_ip(self.request)
        visitors.limit(purpose=f"{self.payable}:checkout", address=address, an_hour=self.orders_per_hour)
        return self.place(visitors.network_key(address))

    def _lead_on(self, order: Any) -> HttpResponse:
        response = lead_to_payment(self.request, order, payable=self.payable, link=self.order_link)
        return self.remember(response, order)

    def show(
        self,
        *,
        errors: Mapping[str, Sequence[str]] = NO_ERRORS,
        notice: str = "",
        wrong: Sequence[tuple[str, str]] = (),
        status: int = 200,
    ) -> HttpResponse:
        """Show the page. The service's `errors` are said above the form, and what is `wrong` with the input at its places."""
        shown = {
            "errors": wrong,
            "page": self,
            "form": self.form,
            "quote": self.quote,
            "items": self.items,
            "sums": self.get_sums(),
            "notice": notice or " ".join(sentences_of(errors)) or self.get_notice(),
            **self.get_context(),
        }
        return render(self.request, self.template, shown, status=status)
