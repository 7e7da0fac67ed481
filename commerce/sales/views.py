"""The common part of checkouts: from the order that is placed to its payment, or back to the form."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse

from cms_api.core.errors import Invalid, TooManyAttempts
from cms_api.forms.services.answering import Show
from cms_api.forms.types.inputs import FLOOD_NOTICE

from .services import AlreadyPaid

UNREACHABLE = "We couldn't reach the payment provider. Please try again."


def answer_checkout(
    request: HttpRequest, *, place: Callable[[], Any], lead_on: Callable[[Any], HttpResponse], show: Show
) -> HttpResponse:
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
