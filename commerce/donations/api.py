"""Donation endpoints: list and retrieve."""

from cms_api.core.locks import get_row
from cms_api.http.endpoint import ApiRequest, Endpoint, operation
from cms_api.http.listing import Listing, Rows, answer_list, answer_one
from cms_api.http.query import Choice, Instant, Query, Sort, Text, Whole
from cms_api.http.wire import Answer, Record

from .resources.donations import DonationResource
from .resources.donations import donation as serialized
from .selectors.donations import donations
from .types.donations import RECURRING, DonationStatus, Frequency

DONATIONS = Query(
    filters=(
        Choice("status", "The status.", choices=tuple(DonationStatus.values)),
        Choice(
            "frequency",
            "How often it is made; `recurring` is monthly or yearly.",
            choices=(*Frequency.values, RECURRING),
        ),
        Text("email", "Exact address of the donor, ignoring case.", max_length=254),
        Whole("campaign_id", "The id of the campaign."),
        Instant("since", "Created at or after this instant, or on or after this day."),
    ),
    sort=Sort({"created_at": "created_at", "updated_at": "updated_at"}),
)


class Donations(Endpoint):
    @operation("List donations", query=DONATIONS, answer=DonationResource, kind="list")
    def get(self, request: ApiRequest) -> Answer:
        def serialize(rows: Rows) -> list[Record]:
            return [serialized(row) for row in rows]

        return answer_list(request, Listing(donations(**request.query), serialize))


class OneDonation(Endpoint):
    @operation("Read a donation", answer=DonationResource)
    def get(self, request: ApiRequest, donation: int) -> Answer:
        found = get_row(donations(), donation)
        return answer_one(request, serialized(found))
