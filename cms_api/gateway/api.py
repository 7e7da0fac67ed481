"""The API's description of itself."""

from cms_api.core import versions
from cms_api.core.endpoint import ApiRequest, Endpoint, operation
from cms_api.core.wire import Answer
from cms_api.flags.selectors import VERSION

from .openapi import document


class Document(Endpoint):
    @operation("Read the OpenAPI document", kind="raw")
    def get(self, request: ApiRequest) -> Answer:
        return Answer(versions.cached(VERSION, document, slot="openapi.json"))
