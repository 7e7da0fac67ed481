"""Contact endpoints: list, retrieve, upsert by email, update."""

from cms_api.core.locks import get_row
from cms_api.http import wire
from cms_api.http.endpoint import ApiRequest, Endpoint, operation
from cms_api.http.listing import Rows, answer_list, answer_one
from cms_api.http.query import Choice, Query, Search, Sort, Text
from cms_api.http.searching import search_in
from cms_api.http.wire import Answer, Record

from . import resources, selectors
from .resources import ContactInput, ContactResource
from .services.contacts import update_contact, upsert_contact
from .types import Lifecycle

SOURCE = "api"

CONTACTS = Query(
    filters=(
        Search("search", "Words, or beginnings of words, in the name, email, phone or company."),
        Text("email", "Exact address, ignoring case.", max_length=254),
        Choice("lifecycle", "Lifecycle stage.", choices=tuple(Lifecycle.values)),
    ),
    sort=Sort({"created_at": "created_at", "updated_at": "updated_at", "email": "email"}),
)


class Contacts(Endpoint):
    @operation("List contacts", query=CONTACTS, answer=ContactResource, kind="list")
    def get(self, request: ApiRequest) -> Answer:
        query = dict(request.query)
        words = query.pop("search")
        found = selectors.contacts(**query)

        def serialize(rows: Rows) -> list[Record]:
            return [resources.contact(row) for row in rows]

        return answer_list(request, search_in(found, serialize, words))

    @operation(
        "Capture a contact",
        description="Creates the contact if its email is new. Existing contacts are not overwritten; only blank fields are "
        "filled in. New contacts are assigned by the assignment rules.",
        body=ContactInput,
        answer=ContactResource,
        status=201,
        also=((200, "The contact existed; its blank fields were filled in."),),
    )
    def post(self, request: ApiRequest) -> Answer:
        outcome = upsert_contact(values=request.input(), source=SOURCE)
        return wire.one(resources.contact(outcome.contact), status=201 if outcome.created else 200)


class OneContact(Endpoint):
    @operation("Read a contact", answer=ContactResource)
    def get(self, request: ApiRequest, contact: int) -> Answer:
        return answer_one(request, resources.contact(get_row(selectors.contacts(), contact)))

    @operation(
        "Update a contact",
        description="Only the given fields are changed; null clears a field. The email cannot be changed.",
        body=ContactInput,
        answer=ContactResource,
    )
    def patch(self, request: ApiRequest, contact: int) -> Answer:
        found = get_row(selectors.contacts(), contact)
        return wire.one(resources.contact(update_contact(contact=found, values=request.input())))
