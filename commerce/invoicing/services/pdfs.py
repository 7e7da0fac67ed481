"""Documents as they were issued: their bytes are stored, with a hash, and never made again."""

from hashlib import sha256
from typing import Any

from django.utils import timezone

from commerce.common.services.documents import Pdf

from ..models import CreditNote, Invoice, InvoicePdf
from ..resources.documents import credit_note_pdf, invoice_pdf


def store_pdf(invoice: Invoice) -> InvoicePdf:
    """Store the document of an invoice that is being issued."""
    return _store(invoice_pdf(invoice), invoice=invoice)


def store_credit_pdf(note: CreditNote) -> InvoicePdf:
    """Store the document of a new credit note."""
    return _store(credit_note_pdf(note), credit_note=note)


def pdf_of(invoice: Invoice) -> bytes:
    """Return the document of an invoice as it was issued; that of a draft or an estimate is as it is now."""
    stored = InvoicePdf.objects.filter(invoice=invoice).first()
    return bytes(stored.content) if stored else invoice_pdf(invoice).content


def _store(pdf: Pdf, **of: Any) -> InvoicePdf:
    digest = sha256(pdf.content).hexdigest()
    return InvoicePdf.objects.create(
        content=pdf.content, sha256=digest, missing=pdf.missing[:200], created_at=timezone.now(), **of
    )
