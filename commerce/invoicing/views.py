"""The page of an invoice or estimate, found by the signed link in emails, and the invoices of an account."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_POST, require_safe

from cms_api.core.errors import Invalid
from cms_api.http.secret_urls import keep_secret
from commerce.payments.selectors import is_ready, payment_path
from commerce.payments.services import start_payment

from .models import Invoice
from .resources import sums
from .selectors.invoices import INVOICE_LINK, invoices, invoices_of, today
from .services import accept_estimate, decline_estimate
from .services.pdfs import pdf_of
from .types.invoices import PAYABLE, Status

#: Invoices on a page of an account.
A_PAGE = 20


@require_safe
def show_invoice(request: HttpRequest, token: str) -> HttpResponse:
    return _page(request, _invoice_or_404(token), token)


@require_POST
def pay(request: HttpRequest, token: str) -> HttpResponse:
    """Leads to the payment page of an invoice."""
    invoice = _invoice_or_404(token)
    try:
        return keep_secret(redirect(payment_path(start_payment(payable=PAYABLE, record_id=invoice.pk))))
    except Invalid as refusal:
        messages.error(request, refusal.message)
        return keep_secret(redirect(INVOICE_LINK.path(invoice)))


@require_POST
def decide(request: HttpRequest, token: str) -> HttpResponse:
    """Accepts or declines an estimate."""
    estimate = _invoice_or_404(token)
    decision = request.POST.get("decision")
    if decision not in {"accept", "decline"} or estimate.is_invoice:
        raise Http404
    answer = accept_estimate if decision == "accept" else decline_estimate
    try:
        answer(estimate=estimate, name=request.POST.get("name", ""), note=request.POST.get("note", ""))
    except Invalid as refusal:
        return _page(request, estimate, token, refusal=refusal, status=422)
    return keep_secret(redirect(INVOICE_LINK.path(estimate)))


@require_safe
def pdf(request: HttpRequest, token: str) -> HttpResponse:
    """The document of an invoice or estimate."""
    invoice = _invoice_or_404(token)
    response = HttpResponse(pdf_of(invoice), content_type="application/pdf")
    response.headers["Content-Disposition"] = f'inline; filename="{invoice}.pdf"'
    return keep_secret(response)


@login_required
@require_safe
@cache_control(private=True, no_store=True)
def account_invoices(request: HttpRequest) -> HttpResponse:
    """The invoices and estimates sent to the signed-in visitor, newest first."""
    page = Paginator(invoices_of(request.user), A_PAGE).get_page(request.GET.get("page"))
    day = today()
    shown = [(invoice, invoice.display_status(day), INVOICE_LINK.path(invoice)) for invoice in page.object_list]
    return render(request, "invoicing/account_invoices.html", {"page": page, "invoices": shown})


def _page(
    request: HttpRequest, invoice: Invoice, token: str, *, refusal: Invalid | None = None, status: int = 200
) -> HttpResponse:
    shown: dict[str, Any] = {
        "invoice": invoice,
        "items": invoice.items.all(),
        "totals": sums.totals(invoice),
        "balance": sums.balance(invoice),
        "display_status": invoice.display_status(today()),
        "token": token,
        "can_pay": invoice.is_outstanding and not invoice.is_processing and is_ready(),
        "can_decide": invoice.status == Status.SENT and not invoice.is_invoice,
        "errors": refusal.errors if refusal else {},
        "typed": request.POST,
    }
    return keep_secret(render(request, "invoicing/invoice.html", shown, status=status))


def _invoice_or_404(token: str) -> Invoice:
    """Return what a link leads to; a draft is nobody's business but the owner's."""
    invoice = INVOICE_LINK.find(invoices().select_related("client").exclude(status=Status.DRAFT), token)
    if invoice is None:
        raise Http404
    return invoice
