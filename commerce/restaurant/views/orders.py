"""An order's page, found by the signed link in emails, and the orders of an account."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from commerce.common.selectors import format_money
from commerce.common.views import account_records
from commerce.payments.selectors import received_words
from commerce.payments.views import redirect_to_payment

from ..models import RestaurantOrder
from ..resources import mails, sums
from ..selectors.orders import ORDER_LINK, orders, orders_of
from ..types.orders import PAYABLE
from .cookies import COOKIES, cart_of, remember


@require_safe
def show_order(request: HttpRequest, token: str) -> HttpResponse:
    order = ORDER_LINK.get(orders(), token)
    shown = {
        "order": order,
        "sums": sums.of_order(order),
        "when": mails.when(order),
        "token": token,
        "received": received_words(PAYABLE, order.pk),
    }
    response = render(request, "restaurant/order.html", shown)
    # Paying takes the order out of the cart.
    return remember(response, cart_of(request)) if COOKIES.count in request.COOKIES else response


@require_POST
def pay(request: HttpRequest, token: str) -> HttpResponse:
    """Leads to the payment page of a pending order."""
    order = ORDER_LINK.get(orders(), token)
    if not order.is_pending:
        messages.error(request, "This order doesn't wait for a payment.")
        return redirect(ORDER_LINK.path(order))
    return redirect_to_payment(request, payable=PAYABLE, record_id=order.pk, back=ORDER_LINK.path(order))


@login_required
@require_safe
def account_meals(request: HttpRequest) -> HttpResponse:
    """The restaurant orders of the signed-in visitor, newest first."""

    def row(order: RestaurantOrder) -> tuple[Any, ...]:
        return order.number, ORDER_LINK.path(order), order.created_at, format_money(order.total), order.customer_status

    return account_records(request, "restaurant/account_meals.html", orders_of(request.user), row)
