"""The API's description of itself."""

from cms_api.core import versions
from cms_api.flags.selectors import VERSION
from cms_api.http.endpoint import ApiRequest, Endpoint, operation
from cms_api.http.wire import Answer

from .openapi import document


class Document(Endpoint):
    @operation("Read the OpenAPI document", kind="raw")
    def get(self, request: ApiRequest) -> Answer:
        return Answer(versions.cached(VERSION, document, slot="openapi.json"))
