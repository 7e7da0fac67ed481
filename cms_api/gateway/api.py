"""The API's description of itself."""

from cms_api.auth.selectors import token_of
from cms_api.http.endpoint import ApiRequest, Endpoint, operation
from cms_api.http.listing import answer_one
from cms_api.http.wire import Answer

from .openapi import current_document
from .resources import ApiRootResource, root


class Root(Endpoint):
    @operation("Read about the token and the groups that are on", answer=ApiRootResource)
    def get(self, request: ApiRequest) -> Answer:
        return answer_one(request, root(token_of(request.token)))


class Document(Endpoint):
    @operation("Read the OpenAPI document", kind="raw")
    def get(self, request: ApiRequest) -> Answer:
        return Answer(current_document())
