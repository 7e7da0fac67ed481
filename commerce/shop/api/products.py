"""Product endpoints: list and retrieve."""

from cms_api.core.not_found import found_or_404
from cms_api.http.endpoint import ApiRequest, Endpoint, operation
from cms_api.http.listing import Rows, answer_list, answer_one
from cms_api.http.query import Choice, Query, Search, Sort, Text
from cms_api.http.searching import search_in
from cms_api.http.wire import Answer, Record
from commerce.common.types import MAX_SLUG

from ..resources import products as resources
from ..resources.products import ProductResource
from ..selectors.products import ProductFilter, find_product, with_details
from ..types.products import ProductStatus

ALL = "all"

PRODUCTS = Query(
    filters=(
        Choice("status", "Status.", default=ProductStatus.PUBLISHED.value, choices=(*ProductStatus.values, ALL)),
        Search("search", "Words, or beginnings of words, in the name, description, SKUs or variants."),
        Text("category", "Slug of a category.", max_length=MAX_SLUG),
    ),
    sort=Sort({"created_at": "created_at", "updated_at": "updated_at", "price_cents": "price_cents", "name": "name"}),
)


class Products(Endpoint):
    @operation("List products", query=PRODUCTS, answer=ProductResource, kind="list")
    def get(self, request: ApiRequest) -> Answer:
        query = request.query
        status = None if query["status"] == ALL else query["status"]
        found = with_details(ProductFilter(status=status, category=query["category"]).queryset())

        def serialize(rows: Rows) -> list[Record]:
            return [resources.product(row) for row in rows]

        return answer_list(request, search_in(found, serialize, query["search"]))


class OneProduct(Endpoint):
    @operation("Read a product", answer=ProductResource)
    def get(self, request: ApiRequest, product: str) -> Answer:
        found = found_or_404(find_product(product))
        return answer_one(request, resources.product(found))
