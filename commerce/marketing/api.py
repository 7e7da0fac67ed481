"""Subscriber endpoints: list, retrieve, upsert by email, unsubscribe."""

from cms_api.core.not_found import found_or_404
from cms_api.http import wire
from cms_api.http.endpoint import ApiRequest, Endpoint, operation
from cms_api.http.listing import answer_list, answer_one
from cms_api.http.query import Choice, Query, Search, Sort, Text
from cms_api.http.searching import search_in
from cms_api.http.wire import Answer
from commerce.common.types import MAX_EMAIL

from . import resources, selectors
from .resources import SubscriberInput, SubscriberResource
from .services import unsubscribe, upsert_subscriber
from .types import Status

SOURCE = "api"
ALL = "all"

SUBSCRIBERS = Query(
    filters=(
        Choice("status", "Which subscribers.", default=Status.ACTIVE.value, choices=(*Status.values, ALL)),
        Search("search", "Words, or beginnings of words, in the name or email."),
        Text(
            "email",
            "Exact address, ignoring case. Combined with the other filters: use status=all to find unsubscribed people too.",
            max_length=MAX_EMAIL,
        ),
    ),
    sort=Sort({"created_at": "created_at", "updated_at": "updated_at", "email": "email"}),
)


class Subscribers(Endpoint):
    @operation("List subscribers", query=SUBSCRIBERS, answer=SubscriberResource, kind="list")
    def get(self, request: ApiRequest) -> Answer:
        wanted = request.query
        status = None if wanted["status"] == ALL else wanted["status"]
        found = selectors.subscribers(status=status, email=wanted["email"])
        return answer_list(request, search_in(found, lambda rows: [resources.subscriber(row) for row in rows], wanted["search"]))

    @operation(
        "Create a subscriber",
        description="Creates an active subscriber if the email is new. Existing subscribers are not overwritten; only blank "
        "fields are filled in. Unsubscribed and pending subscribers keep their status unless `resubscribe` is true.",
        body=SubscriberInput,
        answer=SubscriberResource,
        status=201,
        also=((200, "The subscriber existed; its blank fields were filled in."),),
    )
    def post(self, request: ApiRequest) -> Answer:
        outcome = upsert_subscriber(values=request.input(), source=SOURCE)
        return wire.one(resources.subscriber(outcome.subscriber), status=201 if outcome.created else 200)


class OneSubscriber(Endpoint):
    @operation("Read a subscriber by id or email", answer=SubscriberResource)
    def get(self, request: ApiRequest, subscriber: str) -> Answer:
        return answer_one(request, resources.subscriber(found_or_404(selectors.find_subscriber(subscriber))))


class Unsubscribe(Endpoint):
    @operation(
        "Unsubscribe a subscriber by id or email",
        description="They receive no more emails; the record is kept for that purpose. Unsubscribing again changes nothing and "
        "emits no event.",
        answer=SubscriberResource,
    )
    def post(self, request: ApiRequest, subscriber: str) -> Answer:
        return wire.one(resources.subscriber(unsubscribe(subscriber=found_or_404(selectors.find_subscriber(subscriber)))))
