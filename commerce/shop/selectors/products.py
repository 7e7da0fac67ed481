"""Reads of products and categories."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Exists, F, Max, Min, OuterRef, Prefetch, Q, QuerySet

from cms_api.core import versions
from cms_api.text.search import matching
from commerce.common.selectors import find_with_slug

from ..models import Product, ProductCategory, ProductPicture, ProductVariant
from ..types.products import MAX_OPTIONS, ProductStatus

#: Version that moves with every change of a product or a category.
VERSION = "shop.products"

#: Sort keys of the catalogue, with their labels.
SORTS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "newest": ("Newest", ("-created_at", "-id")),
    "price": ("Price: low to high", ("price_cents", "id")),
    "-price": ("Price: high to low", ("-price_cents", "-id")),
    "name": ("Name", ("name", "id")),
}
#: Options and values that the catalogue offers as filters.
MAX_FACETS = 5
MAX_FACET_VALUES = 30
#: Products whose options are read for these filters.
MAX_READ_PRODUCTS = 5_000


def in_stock() -> Q:
    """Return the condition on a variant that one can be sold."""
    return Q(stock__isnull=True) | Q(stock__gt=F("reserved"))


def low_in_stock(limit: int) -> Q:
    """Return the condition on a variant that at most `limit` are left."""
    return Q(stock__isnull=False, stock__lte=F("reserved") + limit)


@dataclass(frozen=True)
class ProductFilter:
    """The filters of a list of products. Prices are in minor units, inclusive, of the cheapest variant."""

    status: str | None = ProductStatus.PUBLISHED
    #: The slug of a category; no product matches an unknown one.
    category: str | None = None
    search: str | None = None
    price_from: int | None = None
    price_to: int | None = None
    is_in_stock: bool = False
    #: Values by the name of an option; one variant must have one of each.
    options: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def queryset(self) -> QuerySet[Product]:
        wanted = {
            "status": self.status,
            "category__slug": self.category,
            "price_cents__gte": self.price_from,
            "price_cents__lte": self.price_to,
        }
        found = Product.objects.filter(**{name: value for name, value in wanted.items() if value is not None})
        if self.is_in_stock or self.options:
            found = found.filter(Exists(self._variants()))
        return matching(found, self.search) if self.search else found

    def _variants(self) -> QuerySet[ProductVariant]:
        variants = ProductVariant.objects.filter(product=OuterRef("pk")).order_by()
        if self.is_in_stock:
            variants = variants.filter(in_stock())
        for name, values in self.options.items():
            has_value = Q()
            for place in range(MAX_OPTIONS):
                of_option = Q(**{f"product__options__{place}__name": name})
                any_value = Q()
                for value in values:
                    any_value |= Q(**{f"values__{place}": value})
                has_value |= of_option & any_value
            variants = variants.filter(has_value)
        return variants


def with_details(products: QuerySet[Product]) -> QuerySet[Product]:
    """Return the products with their category, variants and pictures (three statements more, however many there are)."""
    pictures = ProductPicture.objects.select_related("media__mediaimage")
    return products.select_related("category").prefetch_related("variants", Prefetch("pictures", pictures))


def products() -> QuerySet[Product]:
    """Return all products, whatever their status."""
    return Product.objects.all()


def published_products() -> QuerySet[Product]:
    return ProductFilter().queryset()


def find_product(reference: str) -> Product | None:
    """Return a product of any status, with details, by its id or its slug, which is never a number."""
    found: Product | None = find_with_slug(with_details(Product.objects.order_by()), reference)
    return found


def published_product(slug: str) -> Product | None:
    return with_details(published_products().order_by()).filter(slug=slug).first()


def related_products(product: Product, count: int) -> QuerySet[Product]:
    """Return the newest other products of the same category."""
    if product.category_id is None:
        return Product.objects.none()
    found = published_products().filter(category_id=product.category_id).exclude(pk=product.pk)
    return with_details(found).order_by("-created_at", "-id")[:count]


def newest_products(category_id: int | None, count: int) -> QuerySet[Product]:
    found = published_products()
    if category_id is not None:
        found = found.filter(category_id=category_id)
    return with_details(found).order_by("-created_at", "-id")[:count]


def shown_categories() -> list[ProductCategory]:
    """Return the categories that have published products."""

    def load() -> list[ProductCategory]:
        published = Product.objects.filter(category=OuterRef("pk"), status=ProductStatus.PUBLISHED)
        return list(ProductCategory.objects.filter(Exists(published)))

    return versions.load_once(VERSION, load, slot=f"{VERSION}.categories")


def find_category(slug: str) -> ProductCategory | None:
    return ProductCategory.objects.filter(slug=slug).first()


@dataclass(frozen=True)
class Facets:
    """The values by which the products of the catalogue, or of a category, can be filtered."""

    #: Values by the name of the option.
    options: Mapping[str, Sequence[str]]
    #: In minor units; None without products.
    lowest_cents: int | None
    highest_cents: int | None


def facets(category: str | None = None) -> Facets:
    """Return the filters; cached until a product changes."""

    def load() -> Facets:
        found = ProductFilter(category=category).queryset().order_by("-created_at", "-id")
        prices = found.aggregate(lowest=Min("price_cents"), highest=Max("price_cents"))
        stored = found.exclude(options=[]).values_list("options", flat=True)[:MAX_READ_PRODUCTS]
        return Facets(_join_options(stored), prices["lowest"], prices["highest"])

    return versions.load_once(VERSION, load, slot=f"{VERSION}.facets.{category or ''}")


def _join_options(stored: Iterable[list[dict[str, Any]]]) -> dict[str, list[str]]:
    """Return the values of each option over several products, the most frequent options first, each value once."""
    found: dict[str, dict[str, None]] = {}
    times: dict[str, int] = {}
    for options in stored:
        for option in options:
            name = option["name"]
            found.setdefault(name, {}).update(dict.fromkeys(option["values"]))
            times[name] = times.get(name, 0) + 1
    names = sorted(found, key=lambda name: -times[name])[:MAX_FACETS]
    return {name: list(found[name])[:MAX_FACET_VALUES] for name in names}
