"""Products, their options and their variants."""

from collections.abc import Mapping, Sequence
from itertools import islice, product
from typing import Any

from django.db.models import TextChoices

MAX_PRODUCT_NAME = 200
MAX_SKU = 64
MAX_SUMMARY = 300
#: Of one product.
MAX_OPTIONS = 3
MAX_OPTION_NAME = 30
MAX_OPTION_VALUE = 60
MAX_VARIANTS = 100
MAX_PICTURES = 20
MAX_FILES = 20
#: Of one file of a digital product.
MAX_FILE_BYTES = 200 * 1024 * 1024
MAX_DESCRIPTION = 100_000
MAX_META_TITLE = 200
MAX_META_DESCRIPTION = 300
MAX_STOCK = 1_000_000_000
MAX_WEIGHT = 1_000_000_000

#: The version that changes when few of a product are left, fewer, or more; its tag says which product.
STOCK = "shop.stock"


def product_tag(pk: int) -> str:
    """Return the tag of pages that show a product."""
    return f"product:{pk}"


class ProductStatus(TextChoices):
    DRAFT = "draft"
    PUBLISHED = "published"
    ARCHIVED = "archived"


class ProductKind(TextChoices):
    """Whether a product is shipped, or downloaded."""

    PHYSICAL = "physical"
    DIGITAL = "digital"


#: Stands between the values in the name of a variant; no value contains it.
SEPARATOR = " / "


def variant_name(values: Sequence[str]) -> str:
    """Return the name of a variant from its values of the product's options: `M / Red`. Empty for the only variant."""
    return SEPARATOR.join(values)


def split_variant_name(name: str) -> list[str]:
    """Return the values that a variant is named after."""
    return [value.strip() for value in name.split(SEPARATOR)] if name.strip() else []


def combinations(options: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Return the values of every variant that the options allow, in display order, at most one more than a product may have."""
    return [list(values) for values in islice(product(*(option["values"] for option in options)), MAX_VARIANTS + 1)]


OUT_OF_STOCK = "Out of stock"


def stock_note(available: int | None, low: int) -> str:
    """Return the notice that none or few are left: `Only 3 left`. Empty if there are more than `low`, or no limit."""
    if available is None or available > low:
        return ""
    return f"Only {available} left" if available else OUT_OF_STOCK
