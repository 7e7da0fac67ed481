"""The PDF of tickets."""

from io import BytesIO

import pytest
from pypdf import PdfReader

from cms_api.content.models import ContentItem
from cms_api.content.services.items import update_item
from cms_api.mail.models import OutgoingMail
from commerce.ticketing.resources.documents import space_out, tickets_pdf
from commerce.ticketing.resources.mails import where
from commerce.ticketing.resources.orders import ticket_order
from commerce.ticketing.services.transferring import transfer_ticket

from .builders import make_sales, paid_order


@pytest.mark.both_databases
def test_it_works() -> None:
    order = paid_order(make_sales(values={"note": "Doors open at seven."}), Adult=2)
    tickets = list(order.tickets.order_by("pk"))
    pdf = tickets_pdf(order, tickets)
    pages = [page.extract_text() for page in PdfReader(BytesIO(pdf.content)).pages]
    assert len(pages) == 2
    for page, ticket in zip(pages, tickets, strict=True):
        assert space_out(ticket.code) in page
        assert "Open rehearsal" in page
        assert "Doors open at seven." in page
    # The same tickets make the same file.
    assert tickets_pdf(order, tickets).content == pdf.content


def test_the_venue_is_the_one_of_now() -> None:
    """As the calendar file says, and not as it was when the tickets were sold."""
    event = make_sales()
    order = paid_order(event, Adult=2)
    update_item(item=event, values={"data": {"venue": "Town hall"}})
    first, second = order.tickets.order_by("pk")
    pages = PdfReader(BytesIO(tickets_pdf(order, [first]).content)).pages
    assert "Town hall" in pages[0].extract_text()
    transfer_ticket(ticket=second, name="Sam", email="sam@example.com")
    mail = OutgoingMail.objects.get(template="ticket_transferred")
    assert "Town hall" in mail.text
    assert any(b"LOCATION:Town hall" in each.content for each in mail.attachments.all())
    # The order still says how it was sold.
    assert ticket_order(order)["event"]["venue"] == "The mill"


def test_the_venue_of_a_deleted_event_is_the_one_that_was_sold() -> None:
    order = paid_order(make_sales())
    ContentItem.objects.filter(pk=order.event_id).delete()
    assert where(order) == "The mill"
