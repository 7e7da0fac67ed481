"""The common part of checkouts: from the order that is placed to its payment, or back to the form."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from cms_api.core.errors import Invalid, TooManyAttempts
from cms_api.forms.services.answering import Show, carry_out_once, digest_of
from cms_api.forms.types.inputs import FLOOD_NOTICE, SENT_NOTICE

from .services import AlreadyPaid

#: For how long a checkout is remembered: later, the same input may place an order anew, or open another payment page.
REMEMBERED_SECONDS = 60
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
