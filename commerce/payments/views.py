"""The way to the payment page and back, the page of test payments, and the messages of providers.

Views of other modules call `redirect_to_payment`.
"""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from cms_api.auth.services.budgets import spend
from cms_api.core.errors import Invalid
from cms_api.http.current import answering
from commerce.common.selectors import format_money

from . import selectors
from .models import Payment
from .services import decide_test_payment, receive_event, settle, start_payment
from .types import PaymentStatus, ProviderError, ProviderName

MAX_EVENT_BYTES = 1024 * 1024
#: Times a minute that the provider is asked for the payment page of a record, and about an attempt.
REQUESTS_PER_MINUTE = 20
TOO_OFTEN = "You've tried this many times. Try again in a minute."
FAILED = "Your payment didn't go through. You haven't been charged, and can try again."
#: The buttons of the page of test payments.
DECISIONS = {"pay": PaymentStatus.SUCCEEDED, "decline": PaymentStatus.FAILED}


def redirect_to_payment(request: HttpRequest, *, payable: str, record_id: int, back: str) -> HttpResponse:
    """Redirect to the payment page of a record; where there is none, to `back` (a path or the name of a view) with a message why.

    Must not be called in a transaction, as `start_payment`.
    """
    try:
        if not spend(f"payments:start:{payable}:{record_id}", REQUESTS_PER_MINUTE).allowed:
            raise Invalid({"payment": TOO_OFTEN})
        return redirect(selectors.payment_path(start_payment(payable=payable, record_id=record_id)))
    except Invalid as refusal:
        messages.error(request, refusal.message)
        return redirect(back)


#: For views whose URL has the token of an attempt.
_of_payment = selectors.LINK.opening(Payment.objects.all)


@require_safe
@_of_payment
def pay(request: HttpRequest, payment: Payment) -> HttpResponse:
    """Leads to the provider's payment page.

    Browsers do not let a form lead to another site, where its page says so (`form-action`); this page does it after the form.
    """
    if payment.status != PaymentStatus.OPEN:
        return redirect(selectors.LINK.path(payment))
    if url_has_allowed_host_and_scheme(payment.url, allowed_hosts=None):
        return redirect(payment.url)
    return _page(request, payment, "pay", "Continue to payment")


@require_safe
@_of_payment
def come_back(request: HttpRequest, payment: Payment) -> HttpResponse:
    """Settles the payment, then leads to what it was for; says how it stands if it is not over."""
    try:
        _spend(payment)
        payment = settle(payment_id=payment.pk)
    except ProviderError:
        return _page(request, payment, "unknown", "We're checking your payment")
    if payment.status == PaymentStatus.SUCCEEDED and not payment.unapplied:
        return redirect(payment.return_path or "/")
    if payment.status == PaymentStatus.SUCCEEDED:
        return _page(request, payment, "unapplied", "We've received your payment")
    if payment.status == PaymentStatus.PROCESSING:
        return _page(request, payment, "processing", "Your payment is on its way")
    if payment.is_live:
        return _page(request, payment, "open", "Your payment isn't complete")
    if payment.status == PaymentStatus.FAILED:
        messages.error(request, FAILED)
    return redirect(payment.cancel_path or payment.return_path or "/")


def _spend(payment: Payment) -> None:
    """Charge a question to the provider about an attempt, which anybody with its link can ask. Raises ProviderError."""
    if payment.status != PaymentStatus.SUCCEEDED and not spend(f"payments:return:{payment.pk}", REQUESTS_PER_MINUTE).allowed:
        raise ProviderError("Its page was asked for too often.")


@require_http_methods(["GET", "HEAD", "POST"])
@_of_payment
def confirm(request: HttpRequest, payment: Payment) -> HttpResponse:
    """The payment page of test payments."""
    if payment.provider != ProviderName.OFFLINE or not selectors.are_test_payments_allowed():
        raise Http404
    if request.method == "POST" and (decision := DECISIONS.get(request.POST.get("decision", ""))):
        decide_test_payment(payment=payment, status=decision)
    if request.method == "POST" or payment.status != PaymentStatus.OPEN or payment.provider_state:
        return HttpResponseRedirect(selectors.LINK.path(payment), status=303)
    return _page(request, payment, "confirm", "Pay")


def _page(request: HttpRequest, payment: Payment, state: str, title: str) -> HttpResponse:
    back = payment.cancel_path or payment.return_path or "/"
    shown: dict[str, Any] = {
        "payment": payment,
        "amount": format_money(payment.amount),
        "state": state,
        "title": title,
        "back": back if state in {"open", "confirm"} else payment.return_path or "/",
        "pay": selectors.payment_path(payment),
    }
    return render(request, "payments/page.html", shown)


@csrf_exempt
@require_POST
def events(request: HttpRequest, provider: str) -> HttpResponse:
    """Receives a message of a provider."""
    body = request.read(MAX_EVENT_BYTES + 1)
    if len(body) > MAX_EVENT_BYTES:
        return _text("The message is too large.", 400)
    try:
        with answering(None):
            receive_event(provider=provider, body=body, headers=request.headers)
    except Invalid as refusal:
        return _text(refusal.message, 400)
    return _text("Received.", 200)


def _text(sentence: str, status: int) -> HttpResponse:
    response = HttpResponse(sentence, content_type="text/plain; charset=utf-8", status=status)
    response.headers["Cache-Control"] = "no-store"
    return response
