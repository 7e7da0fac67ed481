"""Order endpoints: list, retrieve, fulfill."""

from cms_api.core.not_found import found_or_404
from cms_api.http import wire
from cms_api.http.endpoint import ApiRequest, Endpoint, operation
from cms_api.http.listing import Listing, Rows, answer_list, answer_one
from cms_api.http.query import Choice, Instant, Query, Sort, Text
from cms_api.http.wire import Answer, Record

from ..resources.orders import FulfillInput, OrderResource, order
from ..selectors.orders import find_order, orders
from ..services.fulfilling import fulfill_order
from ..types.orders import ABANDONED, OrderStatus

ORDERS = Query(
    filters=(
        Choice(
            "status",
            "The status; `abandoned` is pending for longer than `shop.abandoned_after_minutes`.",
            choices=(*OrderStatus.values, ABANDONED),
        ),
        Text("email", "Exact address of the customer, ignoring case.", max_length=254),
        Instant("since", "Created at or after this instant or day."),
    ),
    sort=Sort({"created_at": "created_at", "updated_at": "updated_at"}),
)


class Orders(Endpoint):
    @operation("List orders", query=ORDERS, answer=OrderResource, kind="list")
    def get(self, request: ApiRequest) -> Answer:
        def serialize(rows: Rows) -> list[Record]:
            return [order(row) for row in rows]

        return answer_list(request, Listing(orders(**request.query).prefetch_related("items"), serialize))


class OneOrder(Endpoint):
    @operation("Read an order", answer=OrderResource)
    def get(self, request: ApiRequest, reference: str) -> Answer:
        return answer_one(request, order(found_or_404(find_order(reference))))


class FulfillOrder(Endpoint):
    @operation(
        "Fulfill an order",
        description="Ships all that is left of a paid order, emails the customer and fires `order.status_changed`. An order of "
        "any other status is refused.",
        body=FulfillInput,
        body_optional=True,
        answer=OrderResource,
    )
    def post(self, request: ApiRequest, reference: str) -> Answer:
        found = found_or_404(find_order(reference))
        values = request.input()
        send_email = values.pop("send_email", True)
        return wire.one(order(fulfill_order(order=found, tracking=values, send_email=send_email)))
