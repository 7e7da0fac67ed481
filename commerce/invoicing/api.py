"""Invoice endpoints: list, retrieve, record a payment."""

from cms_api.core.not_found import found_or_404
from cms_api.http import wire
from cms_api.http.endpoint import ApiRequest, Endpoint, operation
from cms_api.http.listing import Listing, Rows, answer_list, answer_one
from cms_api.http.query import Choice, Instant, Query, Sort, Text, Whole
from cms_api.http.wire import Answer, Record

from .resources.invoices import InvoiceDetailResource, InvoicePaymentResource, InvoiceResource, PaymentInput, invoice
from .resources.invoices import invoice_detail as detail
from .resources.invoices import payment as payment_of
from .selectors.invoices import DERIVED, find_invoice, invoices
from .services import INVOICES as PAYABLES
from .types.invoices import Kind, Status

INVOICES = Query(
    filters=(
        Choice(
            "status",
            "The status; `outstanding` is sent with a balance, `overdue` is outstanding and past the due date, `partial` is "
            "partly paid and not overdue.",
            choices=(*Status.values, *DERIVED),
        ),
        Choice("type", "`invoice` or `estimate`.", choices=tuple(Kind.values)),
        Whole("client_id", "The id of the client."),
        Text("email", "Exact address that it is sent to, ignoring case.", max_length=254),
        Instant("since", "Created at or after this instant or day."),
    ),
    sort=Sort({"created_at": "created_at", "updated_at": "updated_at"}),
)


class Invoices(Endpoint):
    @operation("List invoices and estimates", query=INVOICES, answer=InvoiceResource, kind="list")
    def get(self, request: ApiRequest) -> Answer:
        def serialize(rows: Rows) -> list[Record]:
            return [invoice(row) for row in rows]

        query = dict(request.query)
        found = invoices(kind=query.pop("type", None), **query)
        return answer_list(request, Listing(found, serialize))


class OneInvoice(Endpoint):
    @operation("Read an invoice or estimate", answer=InvoiceDetailResource)
    def get(self, request: ApiRequest, reference: str) -> Answer:
        return answer_one(request, detail(found_or_404(find_invoice(reference))))


class Payments(Endpoint):
    @operation(
        "Record a payment",
        description="Records money that arrived outside the site, emails a receipt and fires `invoice.paid` if nothing is left "
        "to pay. A draft is issued first. An estimate and an invoice that is void or paid are refused.",
        body=PaymentInput,
        answer=InvoicePaymentResource,
        meta={"invoice": InvoiceDetailResource},
        status=201,
    )
    def post(self, request: ApiRequest, reference: str) -> Answer:
        found = found_or_404(find_invoice(reference))
        recorded = PAYABLES.record_payment(found, request.input())
        found.refresh_from_db()
        return wire.one(payment_of(recorded), status=201, meta={"invoice": detail(found)})
