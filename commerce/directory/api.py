"""Directory endpoints: list, retrieve, change the status."""

from functools import partial

from django.utils import timezone

from cms_api.core.not_found import found_or_404
from cms_api.http import wire
from cms_api.http.endpoint import ApiRequest, Endpoint, operation
from cms_api.http.found import always, remember_counts
from cms_api.http.listing import Rows, answer_list, answer_one
from cms_api.http.query import Choice, Flag, Query, Search, Sort, Text, Whole
from cms_api.http.searching import search_in
from cms_api.http.wire import Answer, Record
from commerce.common.types import MAX_SLUG

from .resources.listings import DirectoryListingResource, ListingStatusInput
from .resources.listings import listing as serialized
from .selectors.listings import count_listings, find_listing, listings, next_expiry, with_details
from .services.statuses import set_status
from .types.listings import ALL, LIVE, VERSION, ListingStatus

LISTINGS = Query(
    filters=(
        Choice(
            "status",
            "The status as it is stored; `live` is published and not expired.",
            default=ALL,
            choices=(*ListingStatus.values, LIVE, ALL),
        ),
        Text("category", "Slug of a category.", max_length=MAX_SLUG),
        Flag("featured", "Whether it is shown before the others."),
        Search("search", "Words, or beginnings of words, in the name, categories, address or description."),
        Whole("member_id", "The id of the account that owns the listing."),
    ),
    sort=Sort(
        {"name": "sort_key", "created_at": "created_at", "updated_at": "updated_at"},
        default="name",
    ),
)


class Listings(Endpoint):
    @operation(
        "List directory listings",
        description="Sorted by `name`, featured listings come first.",
        query=LISTINGS,
        answer=DirectoryListingResource,
        kind="list",
    )
    def get(self, request: ApiRequest) -> Answer:
        query = dict(request.query)
        words = query.pop("search")

        def serialize(rows: Rows) -> list[Record]:
            return [serialized(row) for row in rows]

        listing = search_in(with_details(listings(**query)), serialize, words)
        listing.few = listings(**query, are_few=True)
        if not words:
            listing.total = partial(count_listings, **query)
        # The account of an owner may be deleted, which is no change of the directory; the index counts the few that it owns.
        if query["member_id"] is None:
            until = partial(next_expiry, timezone.now()) if query["status"] == LIVE else always
            remember_counts(listing, VERSION, (*query.values(), words), until=until)
        return answer_list(request, listing)


class OneListing(Endpoint):
    @operation("Read a directory listing", answer=DirectoryListingResource)
    def get(self, request: ApiRequest, listing: str) -> Answer:
        return answer_one(request, serialized(found_or_404(find_listing(listing))))


class Status(Endpoint):
    @operation(
        "Change the status of a directory listing",
        description="Publishes a listing, archives it, or puts it back in moderation, and makes it featured or not.",
        body=ListingStatusInput,
        answer=DirectoryListingResource,
    )
    def post(self, request: ApiRequest, listing: str) -> Answer:
        found = found_or_404(find_listing(listing))
        set_status(listing=found, **request.input())
        return wire.one(serialized(found_or_404(find_listing(str(found.pk)))))
