"""Review endpoints: list, retrieve, approve, hide."""

from cms_api.core.locks import get_row
from cms_api.http import wire
from cms_api.http.endpoint import ApiRequest, Endpoint, operation
from cms_api.http.listing import Listing, Rows, answer_list, answer_one
from cms_api.http.query import Choice, Instant, Query, Sort, Whole
from cms_api.http.wire import Answer, Record

from .resources.records import ReviewResource
from .resources.records import review as serialized
from .selectors import reviews
from .services import approve_review, hide_review
from .types import HIGHEST_RATING, LOWEST_RATING, Provider, ReviewStatus

#: Logged as the reason of a review that an integration has hidden.
BY_API = "Hidden over the API."

REVIEWS = Query(
    filters=(
        Choice(
            "status",
            "`public` is what the site shows, `pending` awaits moderation, `hidden` was taken off the site.",
            choices=tuple(ReviewStatus.values),
        ),
        Choice("provider", "The provider; `site` for those written on the site.", choices=tuple(Provider.values)),
        Whole("min_rating", "The lowest rating.", minimum=LOWEST_RATING, maximum=HIGHEST_RATING),
        Whole("max_rating", "The highest rating.", minimum=LOWEST_RATING, maximum=HIGHEST_RATING),
        Instant("since", "Left at or after this instant, or on or after this day."),
    ),
    sort=Sort(
        {"left_at": "left_at", "rating": "rating", "created_at": "created_at", "updated_at": "updated_at"}, default="-left_at"
    ),
)


class Reviews(Endpoint):
    @operation("List reviews", query=REVIEWS, answer=ReviewResource, kind="list")
    def get(self, request: ApiRequest) -> Answer:
        def serialize(rows: Rows) -> list[Record]:
            return [serialized(row) for row in rows]

        return answer_list(request, Listing(reviews(**request.query), serialize))


class OneReview(Endpoint):
    @operation("Read a review", answer=ReviewResource)
    def get(self, request: ApiRequest, review: int) -> Answer:
        return answer_one(request, serialized(get_row(reviews(), review)))


class ApproveReview(Endpoint):
    @operation(
        "Approve a review",
        description="Publishes a review that is pending or hidden. A member with the author's address gets the loyalty bonus "
        "for reviews once, whatever the rating. Approving again changes nothing.",
        answer=ReviewResource,
    )
    def post(self, request: ApiRequest, review: int) -> Answer:
        found = get_row(reviews(), review)
        approve_review(review=found)
        return wire.one(serialized(get_row(reviews(), found.pk)))


class HideReview(Endpoint):
    @operation(
        "Hide a review",
        description="Takes a review off the site, or out of the moderation queue. It is kept. Hiding again changes nothing.",
        answer=ReviewResource,
    )
    def post(self, request: ApiRequest, review: int) -> Answer:
        found = get_row(reviews(), review)
        hide_review(review=found, reason=BY_API)
        return wire.one(serialized(get_row(reviews(), found.pk)))
