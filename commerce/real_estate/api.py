"""Listing endpoints: list, retrieve."""

from functools import partial

from cms_api.core.not_found import found_or_404
from cms_api.http.endpoint import ApiRequest, Endpoint, operation
from cms_api.http.found import remember_counts
from cms_api.http.listing import Listing, Rows, answer_list, answer_one
from cms_api.http.query import Choice, Instant, Number, Query, Sort, Text, Whole
from cms_api.http.wire import Answer, Record

from .resources.listings import PropertyResource
from .resources.listings import listing as serialized
from .resources.listings import listings as all_serialized
from .selectors.listings import count_properties, find_property, properties, with_photos
from .types.listings import MAX_PRICE, MAX_ROOMS, VERSION, PropertyStatus
from .types.searches import SearchFilter

ALL = "all"

LISTINGS = Query(
    filters=(
        Choice("status", "Status.", default=PropertyStatus.ACTIVE.value, choices=(*PropertyStatus.values, ALL)),
        Text("city", "The whole name, in any case.", max_length=100),
        Text("state", "The whole name or code, in any case.", max_length=100),
        Text("postal_code", "The whole postal code.", max_length=30),
        Text("property_type", "The whole name, in any case.", max_length=100),
        Whole("min_price", "The lowest price, in whole units.", minimum=0, maximum=MAX_PRICE),
        Whole("max_price", "The highest price, in whole units.", minimum=0, maximum=MAX_PRICE),
        Whole("min_beds", "The least number of bedrooms.", minimum=0, maximum=MAX_ROOMS),
        Number("min_baths", "The least number of bathrooms, such as 1.5.", maximum=MAX_ROOMS),
        Text("agent_mls_id", "The listing agent.", max_length=100),
        Instant("since", "Stamped by the feed at or after this instant, or on or after this day."),
    ),
    sort=Sort(
        {
            "modified_at": "modified_at",
            "list_price": "list_price",
            "on_market_date": "listed_on",
            "created_at": "created_at",
            "updated_at": "updated_at",
        },
        default="-modified_at",
    ),
)


class Listings(Endpoint):
    @operation(
        "List property listings",
        description="Listings that their multiple listing service does not allow to be shown are left out.",
        query=LISTINGS,
        answer=PropertyResource,
        kind="list",
    )
    def get(self, request: ApiRequest) -> Answer:
        query = dict(request.query)
        query["status"] = None if query["status"] == ALL else query["status"]

        def serialize(rows: Rows) -> list[Record]:
            return list(all_serialized(rows))

        wanted = SearchFilter(**query)
        listing = Listing(with_photos(properties(wanted)), serialize, total=partial(count_properties, wanted))
        return answer_list(request, remember_counts(listing, VERSION, wanted))


class OneListing(Endpoint):
    @operation("Read a property listing", answer=PropertyResource)
    def get(self, request: ApiRequest, listing: str) -> Answer:
        found = found_or_404(find_property(listing))
        return answer_one(request, serialized(found))
