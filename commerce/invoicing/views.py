"""The page of an invoice or estimate, found by the signed link in emails, and the invoices of an account."""

from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from cms_api.core.errors import Invalid
from cms_api.core.not_found import found_or_404
from commerce.common.selectors import format_money
from commerce.common.types import MAX_NAME
from commerce.common.views import account_records, pdf_response
from commerce.payments.selectors import applied_payments, payment_refusal, received_words, refunds_of
from commerce.payments.types import RefundStatus
from commerce.payments.views import redirect_to_payment

from .models import Invoice
from .resources import sums, words
from .resources.documents import receipt_pdf
from .selectors.invoices import INVOICE_LINK, invoices_of, issued_invoices, today
from .services import accept_estimate, decline_estimate
from .services.pdfs import content_of, pdf_of
from .types.invoices import MAX_REASON, PAYABLE, Status


class DecisionForm(forms.Form):
    """The answer of a client to an estimate."""

    name = forms.CharField(
        label="Your name",
        max_length=2 * MAX_NAME,
        widget=forms.TextInput({"autocomplete": "name"}),
        error_messages={"required": "Enter your name."},
    )
    note = forms.CharField(label="Note", max_length=MAX_REASON, required=False)
    #: Of the estimate that the client has read.
    sent_at = forms.CharField(max_length=40, required=False)


@require_safe
def show_invoice(request: HttpRequest, token: str) -> HttpResponse:
    return _page(request, _invoice_or_404(token), token, DecisionForm())


@require_POST
def pay(request: HttpRequest, token: str) -> HttpResponse:
    """Leads to the payment page of an invoice."""
    invoice = _invoice_or_404(token)
    return redirect_to_payment(request, payable=PAYABLE, record_id=invoice.pk, back=INVOICE_LINK.path(invoice))


@require_POST
def decide(request: HttpRequest, token: str) -> HttpResponse:
    """Accepts or declines an estimate."""
    estimate = _invoice_or_404(token)
    decision = request.POST.get("decision")
    if decision not in {"accept", "decline"} or estimate.is_invoice:
        raise Http404
    form = DecisionForm(request.POST)
    if estimate.status != Status.SENT:
        # The page says how it stands: somebody has answered in the meantime.
        return redirect(INVOICE_LINK.path(estimate))
    if form.is_valid():
        answer = accept_estimate if decision == "accept" else decline_estimate
        try:
            answer(estimate=estimate, **form.cleaned_data)
            return redirect(INVOICE_LINK.path(estimate))
        except Invalid as refusal:
            for name, sentences in refusal.errors.items():
                form.add_error(name if name in form.fields else None, sentences)
    return _page(request, _invoice_or_404(token), token, form, status=422)


@require_safe
def pdf(request: HttpRequest, token: str) -> HttpResponse:
    """The document of an invoice or estimate."""
    invoice = _invoice_or_404(token)
    return pdf_response(pdf_of(invoice), str(invoice))


@require_safe
def receipt(request: HttpRequest, token: str, payment: int) -> HttpResponse:
    """The receipt of a payment of an invoice."""
    invoice = _invoice_or_404(token)
    found = next((each for each in applied_payments(PAYABLE, invoice.pk) if each.pk == payment), None)
    if found is None or not invoice.is_invoice:
        raise Http404
    return pdf_response(receipt_pdf(invoice, found).content, f"{invoice}-receipt")


@require_safe
def credit_note(request: HttpRequest, token: str, number: str) -> HttpResponse:
    """The document of a credit note for an invoice."""
    found = found_or_404(_invoice_or_404(token).credit_notes.select_related("pdf").filter(number=number).first())
    return pdf_response(content_of(found.pdf), str(found))


@login_required
@require_safe
def account_invoices(request: HttpRequest) -> HttpResponse:
    """The invoices and estimates issued to the signed-in visitor, newest first."""
    day = today()

    def row(each: Invoice) -> tuple[Any, ...]:
        name, status = f"{each.get_kind_display()} {each.number}", words.standing(each, day)
        return name, INVOICE_LINK.path(each), each.issue_date, format_money(each.total), status

    return account_records(request, "invoicing/account_invoices.html", invoices_of(request.user), row)


def _page(request: HttpRequest, invoice: Invoice, token: str, form: DecisionForm, *, status: int = 200) -> HttpResponse:
    day = today()
    items = sums.items(invoice)
    is_past = words.is_past(invoice, day)
    received = received_words(PAYABLE, invoice.pk)
    shown: dict[str, Any] = {
        "invoice": invoice,
        "items": items,
        "is_taxed": any(item["tax"] for item in items),
        "sums": [*sums.totals(invoice), *sums.balance(invoice)],
        "seller": _seller(invoice),
        "standing": words.standing(invoice, day),
        "is_overdue": invoice.is_outstanding and is_past,
        "token": token,
        "received": received,
        "can_pay": not received and invoice.is_outstanding and not invoice.is_processing and not payment_refusal(invoice.balance),
        "can_decide": invoice.status == Status.SENT and not invoice.is_invoice and not is_past,
        "has_expired": invoice.status == Status.SENT and not invoice.is_invoice and is_past,
        "form": form,
        "credit_notes": invoice.credit_notes.all() if invoice.credited_cents else [],
        "became": None if invoice.is_invoice else _find_invoice(invoice),
        **_money(invoice, token),
    }
    if shown["became"]:
        shown["became_path"] = INVOICE_LINK.path(shown["became"])
    return render(request, "invoicing/invoice.html", shown, status=status)


def _find_invoice(estimate: Invoice) -> Invoice | None:
    """Return the issued invoice of an estimate, unless it has got another client or address since."""
    return issued_invoices().filter(estimate=estimate, client=estimate.client_id, email=estimate.email).first()


def _seller(invoice: Invoice) -> list[str]:
    """Return the name and the details of the business; details often begin with the name."""
    site, details = invoice.seller.get("site", ""), invoice.seller.get("sender", [])
    return [*([site] if site and site not in details else []), *details]


def _money(invoice: Invoice, token: str) -> dict[str, Any]:
    """Return the payments and refunds of an invoice as the page shows them."""
    if not invoice.is_invoice:
        return {"payments": [], "refunds": []}
    return {
        "payments": [
            {
                "day": words.day_of(each.paid_at),
                "method": each.get_method_display(),
                "amount": format_money(each.amount),
                "receipt": reverse("invoicing_receipt", args=[token, each.pk]),
            }
            for each in applied_payments(PAYABLE, invoice.pk).order_by("paid_at", "pk")
            if each.paid_at
        ],
        "refunds": [
            {
                "day": words.day_of(each.updated_at),
                "amount": format_money(each.amount),
                "is_pending": each.status == RefundStatus.PENDING,
            }
            for each in refunds_of(PAYABLE, invoice.pk).filter(payment__unapplied="").order_by("updated_at", "pk")
            if each.status != RefundStatus.FAILED
        ],
    }


def _invoice_or_404(token: str) -> Invoice:
    """Return what a link leads to; a draft is nobody's business but the owner's."""
    return INVOICE_LINK.get(issued_invoices().select_related("client"), token)
