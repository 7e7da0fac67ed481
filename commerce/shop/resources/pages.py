"""Products as the public pages show them: cards in lists, the parts of the product page, and metadata for search engines."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from cms_api.flags.selectors import get_setting
from cms_api.http import page_cache
from cms_api.text.excerpts import shorten
from cms_api.text.html import strip_tags
from commerce.common.resources.pages import DESCRIPTION_LENGTH, KINDS, Picture, absolute, meta, picture, prefetch_renditions
from commerce.common.selectors import format_cents, format_money
from commerce.common.types.money import Money

from ..models import Product, ProductCategory, ProductVariant
from ..selectors.products import with_details
from ..types.products import ProductKind, product_tag, stock_note

TITLE = "Shop"
#: The kind of the pictures in lists, and their filter specs.
TILE = "tile"
TILE_SPECS = KINDS[TILE]
SUMMARY_LENGTH = 120


@dataclass(frozen=True)
class Price:
    """The price of a product, or of a variant, as visitors read it."""

    now: str
    #: The price before a reduction; empty without one.
    former: str = ""
    #: Whether other variants cost more.
    is_lowest: bool = False


@dataclass(frozen=True)
class Card:
    """A product in a list."""

    name: str
    url: str
    summary: str
    picture: Picture | None
    #: The number of the drawing that replaces a missing picture.
    drawing: int
    price: Price
    #: How many are left, if few are; empty otherwise.
    note: str


@dataclass(frozen=True)
class Choice:
    """A variant that customers can choose."""

    id: int
    name: str
    price: Price
    note: str
    is_available: bool
    is_chosen: bool


def images_of(product: Product) -> list[Any]:
    """Return the library images of a product read `with_details`, in order."""
    found = (getattr(each.media, "mediaimage", None) for each in product.pictures.all())
    return [image for image in found if image is not None]


def make_cards(products: Iterable[Product]) -> list[Card]:
    """Return cards of products read `with_details`; the renditions of all pictures are read in one statement."""
    listed = [(product, images_of(product)[:1]) for product in products]
    prefetch_renditions(image for _, images in listed for image in images)
    return [_card(product, images) for product, images in listed]


def tiles_of(products: Iterable[int]) -> dict[int, Picture | None]:
    """Return the first pictures of products by their ids; None for those without. Four statements, however many there are."""
    found = [(product.pk, images_of(product)[:1]) for product in with_details(Product.objects.filter(pk__in=products))]
    prefetch_renditions(image for _, images in found for image in images)
    return {pk: picture(images[0], TILE, alt="") if images else None for pk, images in found}


def _card(product: Product, images: Sequence[Any]) -> Card:
    page_cache.shows(product_tag(product.pk))
    variants = list(product.variants.all())
    return Card(
        name=product.name,
        url=reverse("shop_product", args=[product.slug]),
        summary=shorten(product.summary, SUMMARY_LENGTH),
        # No alternative text: the name beside it is enough for screen readers.
        picture=picture(images[0], TILE, alt="") if images else None,
        drawing=product.pk % 4,
        price=price_of(product),
        note=_total_note(variants),
    )


def price_of(product: Product) -> Price:
    """Return the price of the cheapest variant of a product read `with_details`."""
    is_lowest = any(variant.price_cents > product.price_cents for variant in product.variants.all())
    return Price(format_money(product.price), _amount(product.compare_at_price_cents, product), is_lowest)


def _amount(cents: int | None, product: Product) -> str:
    return "" if cents is None else format_cents(cents, product.currency)


def _total_note(variants: Sequence[ProductVariant]) -> str:
    """Return the notice of the product as a whole: about what is left of all variants together."""
    left = [variant.available for variant in variants]
    return stock_note(None if None in left else sum(filter(None, left)), low_stock())


def low_stock() -> int:
    """Return the number of pieces from which on the pages say how many are left."""
    number: int = get_setting("shop.low_stock")
    return number


def choices_of(product: Product) -> list[Choice]:
    """Return the variants of a product; the first available one is chosen."""
    variants = list(product.variants.all())
    chosen = next((variant for variant in variants if variant.available != 0), None)
    for variant in variants:
        # Spares a statement for each price.
        variant.product = product
    return [
        Choice(
            id=variant.pk,
            name=variant.name,
            price=Price(format_money(variant.price), _amount(variant.compare_at_price_cents, product)),
            note=stock_note(variant.available, low_stock()),
            is_available=variant.available != 0,
            is_chosen=variant is chosen,
        )
        for variant in variants
    ]


def pictures_of(product: Product) -> list[Picture]:
    """Return the pictures of the product page, the first one large."""
    images = images_of(product)
    prefetch_renditions(images)
    shown = (picture(image, TILE if place else "half") for place, image in enumerate(images))
    return [each for each in shown if each is not None]


def description_of(product: Product) -> str:
    return product.meta_description or product.summary or shorten(strip_tags(product.description), DESCRIPTION_LENGTH)


def trail_of(product: Product) -> list[tuple[str, str]]:
    """Return the pages above a product: title and path."""
    above = [(TITLE, reverse("shop"))]
    if product.category:
        above.append((product.category.name, reverse("shop_category", args=[product.category.slug])))
    return above


def product_meta(product: Product) -> meta.Meta:
    images = images_of(product)
    found = meta.for_page(
        title=product.name,
        path=reverse("shop_product", args=[product.slug]),
        description=description_of(product),
        featured=images[0] if images else None,
        above=trail_of(product),
        modified=product.updated_at,
    )
    linked = [linked_product(product), *found["linked_data"]]
    return {**found, "title": product.meta_title or product.name, "linked_data": linked}


def catalogue_meta(category: ProductCategory | None, number: int, *, is_filtered: bool) -> meta.Meta:
    """Return the metadata of a page of the catalogue. Filtered lists are not indexed."""
    title = category.name if category else TITLE
    path = reverse("shop_category", args=[category.slug]) if category else reverse("shop")
    found = meta.for_page(
        title=f"{title}, page {number}" if number > 1 else title,
        path=path + (f"?page={number}" if number > 1 else ""),
        description=category.description if category else "",
        above=[(TITLE, reverse("shop"))] if category else (),
        unlisted=is_filtered,
    )
    return found


def linked_product(product: Product) -> dict[str, Any]:
    """Return a product as schema.org's Product, with an Offer for each variant. Says only what the page shows."""
    address = absolute(reverse("shop_product", args=[product.slug]))
    variants = list(product.variants.all())
    images = [each for image in images_of(product) if (each := picture(image, "social"))]
    found = {
        "@context": "https://schema.org",
        "@type": "Product",
        "name": product.name,
        "description": description_of(product),
        "url": address,
        "image": [absolute(each.src) for each in images],
        "sku": variants[0].sku if variants else "",
        "category": product.category.name if product.category else "",
        "offers": [_offer(product, variant, address) for variant in variants],
    }
    return {name: value for name, value in found.items() if value}


def _offer(product: Product, variant: ProductVariant, address: str) -> dict[str, Any]:
    found = {
        "@type": "Offer",
        "name": str(variant.name),
        "sku": variant.sku,
        "url": address,
        "price": str(Money(variant.price_cents, product.currency).amount),
        "priceCurrency": product.currency.upper(),
        "availability": "https://schema.org/" + ("OutOfStock" if variant.available == 0 else "InStock"),
        "itemCondition": "https://schema.org/NewCondition",
    }
    return {name: value for name, value in found.items() if value}


def facts_of(product: Product) -> dict[str, str]:
    """Return what the product page says below the price."""
    return {"Delivery": "Download after payment"} if product.kind == ProductKind.DIGITAL else {}
