"""The documents of invoices, estimates, credit notes and payments, as PDF."""

from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path
from django.views.generic import View
from wagtail.admin.views.generic.permissions import PermissionCheckedMixin

from commerce.common.views import pdf_response
from commerce.payments.selectors import payments
from commerce.payments.types import PaymentStatus

from ..models import CreditNote
from ..resources.documents import receipt_pdf
from ..services.pdfs import content_of, pdf_of
from ..types.invoices import PAYABLE


class DocumentView(PermissionCheckedMixin, View):
    """The document of an invoice or estimate as it was issued; that of a draft as it is now."""

    model: ClassVar[Any] = None
    viewset: ClassVar[Any] = None
    permission_required = "view"

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        invoice = get_object_or_404(self.viewset.records(), pk=pk)
        return pdf_response(pdf_of(invoice), str(invoice))


class CreditNoteView(DocumentView):
    """The document of a credit note as it was issued."""

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        note = get_object_or_404(CreditNote.objects.select_related("pdf"), pk=pk)
        return pdf_response(content_of(note.pdf), note.number)


class ReceiptView(DocumentView):
    """The receipt of a payment."""

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        applied = payments().filter(payable=PAYABLE, status=PaymentStatus.SUCCEEDED, unapplied="")
        payment = get_object_or_404(applied, pk=pk)
        invoice = get_object_or_404(self.viewset.records(), pk=payment.record_id)
        return pdf_response(receipt_pdf(invoice, payment).content, f"{invoice}-receipt")


def patterns(viewset: Any) -> list[URLPattern]:
    """Return the URLs of the documents of invoices."""
    views = {"pdf": DocumentView, "credit-note": CreditNoteView, "receipt": ReceiptView}
    return [path(f"{name}/<id:pk>/", viewset.construct_view(view), name=name.replace("-", "_")) for name, view in views.items()]
