"""An order's page, found by the signed link in emails, and the orders of an account."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from cms_api.core.not_found import found_or_404
from cms_api.http.downloads import download
from commerce.common.selectors import format_money
from commerce.common.views import account_records, pdf_response
from commerce.payments.selectors import received_words
from commerce.payments.views import redirect_to_payment

from ..models import Order
from ..resources import sums
from ..resources.documents import receipt as receipt_of
from ..selectors.downloads import files_of
from ..selectors.orders import ORDER_LINK, is_too_old, orders, orders_of
from ..types.orders import PAYABLE
from .cookies import recount


@require_safe
def show_order(request: HttpRequest, token: str) -> HttpResponse:
    order = _order_or_404(token)
    shown = {
        "order": order,
        "is_too_old": is_too_old(order),
        "received": received_words(PAYABLE, order.pk),
        "sums": sums.of_order(order),
        "files": files_of(order),
        "token": token,
        "shipments": list(order.shipments.prefetch_related("items__item")),
    }
    return recount(request, render(request, "shop/order.html", shown))


@require_POST
def pay(request: HttpRequest, token: str) -> HttpResponse:
    """Leads to the payment page of a pending order, whose items are reserved again if they were not any more."""
    order = _order_or_404(token)
    return redirect_to_payment(request, payable=PAYABLE, record_id=order.pk, back=ORDER_LINK.path(order))


@require_safe
def receipt(request: HttpRequest, token: str) -> HttpResponse:
    """The receipt of a paid order, as PDF."""
    order = _order_or_404(token)
    if order.paid_at is None:
        raise Http404
    return pdf_response(receipt_of(order).content, order.number)


@require_safe
def order_file(request: HttpRequest, token: str, item: int, file: int) -> HttpResponseBase:
    """A file of a paid order, always as a download."""
    order = _order_or_404(token)
    found = found_or_404(next((each for sold, each in files_of(order) if sold.pk == item and each.pk == file), None))
    return download(request, found.file, found.filename)


@login_required
@require_safe
def account_orders(request: HttpRequest) -> HttpResponse:
    """The orders of the signed-in visitor, newest first."""

    def row(order: Order) -> tuple[Any, ...]:
        return order.number, ORDER_LINK.path(order), order.placed_at, format_money(order.total), order.customer_status

    return account_records(request, "shop/account_orders.html", orders_of(request.user), row)


def _order_or_404(token: str) -> Order:
    return ORDER_LINK.get(orders().prefetch_related("items"), token)
