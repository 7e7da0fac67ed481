"""Documents as they were issued: what they are typeset from is stored with them, then their bytes, with a hash."""

from dataclasses import asdict
from hashlib import sha256
from typing import Any

from django.db import transaction
from django.utils import timezone

from cms_api.mail.types import Attachment
from commerce.common.services.documents import Document, Pdf, attach, typeset

from ..models import CreditNote, Invoice, InvoicePdf
from ..resources.documents import credit_note_document, invoice_document, invoice_pdf


def store_pdf(invoice: Invoice) -> InvoicePdf:
    """Store the document of an invoice that is being issued; it is typeset after the transaction."""
    return _store(invoice_document(invoice), invoice=invoice)


def store_credit_pdf(note: CreditNote) -> InvoicePdf:
    """Store the document of a new credit note; it is typeset after the transaction."""
    return _store(credit_note_document(note), credit_note=note)


def pdf_of(invoice: Invoice) -> bytes:
    """Return the document of an invoice as it was issued; that of a draft or an estimate is as it is now."""
    stored = InvoicePdf.objects.filter(invoice=invoice).first()
    return content_of(stored) if stored else invoice_pdf(invoice).content


def content_of(stored: InvoicePdf) -> bytes:
    """Return the bytes of a document, which are the same whenever it is typeset."""
    return bytes(stored.content) or _typeset(stored).content


def attach_invoice(invoice: Invoice) -> Attachment:
    """Return the document of an invoice or estimate as the attachment of a mail."""
    stored = InvoicePdf.objects.filter(invoice=invoice).first()
    return attach_stored(str(invoice), stored) if stored else attach(str(invoice), invoice_document(invoice))


def attach_stored(name: str, stored: InvoicePdf) -> Attachment:
    """Return a stored document as the attachment of a mail."""
    made_from = {"pdf_id": stored.pk}
    return Attachment(f"{name}.pdf", type="application/pdf", maker=f"{__name__}.content_by_id", made_from=made_from)


def content_by_id(*, pdf_id: int) -> bytes:
    return content_of(InvoicePdf.objects.get(pk=pdf_id))


def typeset_stored(pdf_id: int) -> None:
    """Typeset a stored document, once. Must not be called in a transaction."""
    stored = InvoicePdf.objects.filter(pk=pdf_id, content=b"").first()
    if stored is not None:
        pdf = _typeset(stored)
        digest = sha256(pdf.content).hexdigest()
        InvoicePdf.objects.filter(pk=pdf_id, sha256="").update(content=pdf.content, sha256=digest, missing=pdf.missing[:200])


def _typeset(stored: InvoicePdf) -> Pdf:
    return typeset(Document(**stored.document))


def _store(document: Document, **of: Any) -> InvoicePdf:
    stored = InvoicePdf.objects.create(document=asdict(document), created_at=timezone.now(), **of)
    transaction.on_commit(lambda: typeset_stored(stored.pk), robust=True)
    return stored
