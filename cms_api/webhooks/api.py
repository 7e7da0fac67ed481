"""The webhook endpoints: list, create, delete."""

from rest_framework import serializers

from cms_api.core.locks import get_row
from cms_api.http import wire
from cms_api.http.endpoint import ApiRequest, Endpoint, operation
from cms_api.http.listing import Listing, answer_list
from cms_api.http.query import Query, Sort
from cms_api.http.serializers import FlagInput, InputSerializer, TextInput
from cms_api.http.wire import Answer
from cms_api.outbound.addresses import MAX_URL

from . import models, resources
from .resources import CreatedWebhookResource, WebhookResource
from .services import endpoints as services
from .services.endpoints import event_choices


class WebhookInput(InputSerializer):
    """A subscription: where to, and to what."""

    url = TextInput(max_length=MAX_URL, help_text="Public HTTPS URL.")
    events = serializers.ListField(
        child=TextInput(max_length=60, among=event_choices), max_length=200, help_text="Event types, or `*` for all."
    )
    description = TextInput(required=False, allow_null=True, max_length=255)
    enabled = FlagInput(required=False)

    example = {"url": "https://example.com/hooks/site", "events": ["content_item.created", "content_item.updated"]}


class Webhooks(Endpoint):
    @operation(
        "List webhook subscriptions",
        query=Query(sort=Sort({"created_at": "created_at", "updated_at": "updated_at"})),
        answer=WebhookResource,
        kind="list",
    )
    def get(self, request: ApiRequest) -> Answer:
        return answer_list(request, Listing(models.Endpoint.objects.all(), lambda rows: [resources.webhook(row) for row in rows]))

    @operation(
        "Create a webhook subscription; the signing secret in the response cannot be read again",
        body=WebhookInput,
        answer=CreatedWebhookResource,
        status=201,
    )
    def post(self, request: ApiRequest) -> Answer:
        values = request.input()
        endpoint = services.create_endpoint(**{**values, "description": values.get("description") or ""})
        return wire.one({**resources.webhook(endpoint), "secret": endpoint.secret}, status=201)


class OneWebhook(Endpoint):
    @operation("Delete a webhook subscription and its log", kind="deleted")
    def delete(self, request: ApiRequest, webhook: int) -> Answer:
        found = get_row(models.Endpoint.objects.all(), webhook)
        services.delete_endpoint(endpoint=found)
        return wire.confirm_deletion(webhook)
