"""The PDF of tickets."""

from io import BytesIO

import pytest
from pypdf import PdfReader

from commerce.ticketing.resources.documents import spaced, tickets_pdf

from .builders import make_sales, paid_order

pytestmark = pytest.mark.once


def test_it_works() -> None:
    order = paid_order(make_sales(values={"note": "Doors open at seven."}), Adult=2)
    tickets = list(order.tickets.order_by("pk"))
    pdf = tickets_pdf(order, tickets)
    pages = [page.extract_text() for page in PdfReader(BytesIO(pdf.content)).pages]
    assert len(pages) == 2
    for page, ticket in zip(pages, tickets, strict=True):
        assert spaced(ticket.code) in page
        assert "Open rehearsal" in page
        assert "Doors open at seven." in page
    # The same tickets make the same file.
    assert tickets_pdf(order, tickets).content == pdf.content
