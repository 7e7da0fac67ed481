"""The catalogue, its categories, and the page of a product. The pages are the same for every signed-out visitor."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from django.conf import settings
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from cms_api.core.errors import Invalid
from cms_api.core.not_found import found_or_404
from cms_api.flags.selectors import VERSION as FLAGS
from cms_api.http import page_cache
from cms_api.rows.additions import additions_to
from commerce.common.selectors import format_money
from commerce.common.types.amounts import as_instruction, parse_amount
from commerce.common.types.money import Money

from ..models import ProductCategory
from ..resources import pages
from ..selectors.products import (
    SORTS,
    VERSION,
    Facets,
    ProductFilter,
    facets,
    find_category,
    published_product,
    related_products,
    shown_categories,
    with_details,
)
from ..types.orders import MAX_QUANTITY
from ..types.products import STOCK, product_tag

PER_PAGE = 24
RELATED_PRODUCTS = 4
MAX_QUERY = 200
#: Longest amount that is read from a price filter.
MAX_AMOUNT_CHARACTERS = 20
#: Products with more variants show them in a drop-down list.
MAX_RADIOS = 6
DEFAULT_SORT = "newest"
#: Begins the parameters of options: `option.Size=M`.
OPTION = "option."


@dataclass
class Search:
    """The visitor's search and filters, as their URL says; values that make no sense are left out."""

    text: str = ""
    sort: str = DEFAULT_SORT
    is_in_stock: bool = False
    #: As typed, by parameter.
    prices: dict[str, str] = field(default_factory=dict)
    cents: dict[str, int] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    options: dict[str, list[str]] = field(default_factory=dict)

    @property
    def filters(self) -> int:
        """Return how many filters are set, besides the search."""
        return len(self.cents) + self.is_in_stock + sum(map(len, self.options.values()))

    @property
    def query(self) -> str:
        """Return the query string of the search, without the number of the page."""
        values: list[tuple[str, str]] = [("q", self.text)] if self.text else []
        values += [("sort", self.sort)] if self.sort != DEFAULT_SORT else []
        values += [("in_stock", "1")] if self.is_in_stock else []
        values += [(name, text) for name, text in self.prices.items() if name in self.cents]
        values += [(OPTION + name, value) for name, chosen in self.options.items() for value in chosen]
        return urlencode(values)


@require_safe
def products(request: HttpRequest) -> HttpResponse:
    """Show the catalogue."""
    return _catalogue(request, None)


@require_safe
def category(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the products of a category."""
    found = found_or_404(find_category(slug))
    return _catalogue(request, found)


def _catalogue(request: HttpRequest, category: ProductCategory | None) -> HttpResponse:
    page_cache.enable()
    page_cache.depends_on(VERSION, FLAGS)
    known = facets(category.slug if category else None)
    search = read_search(request.GET, known)
    if search.is_in_stock:
        page_cache.depends_on(STOCK)
    wanted = ProductFilter(
        category=category.slug if category else None,
        search=search.text or None,
        price_from=search.cents.get("price_from"),
        price_to=search.cents.get("price_to"),
        is_in_stock=search.is_in_stock,
        options=search.options,
    )
    found = with_details(wanted.queryset()).order_by(*SORTS[search.sort][1])
    page = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "category": category,
        "categories": shown_categories(),
        "page": page,
        "pages": page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1),
        "kept": search.query,
        "cards": pages.make_cards(page.object_list),
        "search": search,
        "sorts": [(key, label) for key, (label, _) in SORTS.items()],
        "facets": _shown_facets(known, search),
        "price_range": _price_range(known),
        "path": request.path,
        "meta": pages.catalogue_meta(category, page.number, is_filtered=bool(search.text or search.filters)),
    }
    return render(request, "shop/catalogue.html", context)


def read_search(query: QueryDict, known: Facets) -> Search:
    """Read a visitor's search. Options and values that no product has are left out."""
    search = Search(text=_text(query.get("q", ""))[:MAX_QUERY], is_in_stock=query.get("in_stock") == "1")
    if (sort := query.get("sort", "")) in SORTS:
        search.sort = sort
    for name in ("price_from", "price_to"):
        if text := _text(query.get(name, ""))[:MAX_AMOUNT_CHARACTERS]:
            search.prices[name] = text
            try:
                search.cents[name] = _cents(text)
            except Invalid as refusal:
                search.errors[name] = as_instruction(refusal)
    for name, values in known.options.items():
        if chosen := [value for value in values if value in query.getlist(OPTION + name)]:
            search.options[name] = chosen
    return search


def _text(value: str) -> str:
    return value.replace("\0", "").strip()


def _cents(text: str) -> int:
    cents = parse_amount(text).cents
    if cents < 0:
        raise Invalid({"amount": "The amount is negative."})
    return cents


def _shown_facets(known: Facets, search: Search) -> list[tuple[str, str, Sequence[tuple[str, bool]]]]:
    """Return each option with its parameter, and its values with whether they are chosen."""
    return [
        (name, OPTION + name, [(value, value in search.options.get(name, ())) for value in values])
        for name, values in known.options.items()
        if len(values) > 1
    ]


def _price_range(known: Facets) -> Mapping[str, str] | None:
    """Return the lowest and the highest price, unless they are the same."""
    if known.lowest_cents is None or known.highest_cents is None or known.lowest_cents == known.highest_cents:
        return None
    amounts = {"lowest": known.lowest_cents, "highest": known.highest_cents}
    return {name: format_money(Money(cents, settings.SITE_CURRENCY)) for name, cents in amounts.items()}


@require_safe
def product(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a published product, with the form that adds it to the cart.

    The form has no token, so that the page can be cached: its view checks the origin of the request instead.
    """
    found = found_or_404(published_product(slug))
    page_cache.enable()
    page_cache.depends_on(VERSION, FLAGS)
    page_cache.shows(product_tag(found.pk))
    choices = pages.choices_of(found)
    additions = additions_to("shop.product", found, request)
    context = {
        "product": found,
        "price": pages.price_of(found),
        "pictures": pages.pictures_of(found),
        "trail": pages.trail_of(found),
        "choices": choices,
        "is_long": len(choices) > MAX_RADIOS,
        "is_available": any(choice.is_available for choice in choices),
        "option_names": " / ".join(option["name"] for option in found.options),
        "facts": pages.facts_of(found),
        "max_quantity": MAX_QUANTITY,
        "related": pages.make_cards(related_products(found, RELATED_PRODUCTS)),
        "shop_url": reverse("shop"),
        "additions": additions,
        "meta": additions.complete(pages.product_meta(found)),
    }
    return render(request, "shop/product.html", context)
