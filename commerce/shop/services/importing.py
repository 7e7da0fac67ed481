"""Imports of products. Each row is a variant; rows with the same handle are variants of one product, as at Shopify."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from django.conf import settings

from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice, required_message
from cms_api.flags.selectors import site_formats
from commerce.common.services.slugs import check_slug, derive_slug
from commerce.common.types.amounts import parse_cell

from ..models import Product, ProductCategory
from ..types.products import MAX_OPTIONS, MAX_STOCK, MAX_WEIGHT, ProductStatus
from .categories import save_category
from .products import save_product

#: The names that other programs have for statuses.
STATUSES = {"active": ProductStatus.PUBLISHED, **{status.value: status for status in ProductStatus}}
PRICES = {"price_cents", "compare_at_price_cents"}
#: Shopify's option of products without options.
NO_OPTION = ("title", "default title")


def read(cells: Mapping[str, str], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a row; columns that are empty are left out. Raises Invalid."""
    sent = {name: cell.strip() for name, cell in cells.items() if cell.strip()}
    errors = ErrorCollector()
    found: dict[str, Any] = {name: sent[name] for name in ("name", "sku", "category") if name in sent}
    with errors.under():
        found["handle"] = _handle(sent)
    for name, words in (("price", "price"), ("compare_at_price", "price before the reduction")):
        if name in sent:
            with errors.under():
                found[f"{name}_cents"] = parse_cell(sent[name], key=words).cents
    for name, highest in (("stock", MAX_STOCK), ("weight_grams", MAX_WEIGHT)):
        if name in sent:
            with errors.under():
                found[name] = _whole(name, sent[name], highest)
    if "status" in sent:
        if (status := STATUSES.get(sent["status"].lower())) is None:
            errors.add("status", invalid_choice("status", ProductStatus.values))
        found["status"] = status
    if "description" in sent:
        found["description"] = _as_html(sent["description"])
    found["options"] = _options(sent)
    errors.raise_if_any()
    return found


def _handle(sent: Mapping[str, str]) -> str:
    if "handle" in sent:
        return check_slug(sent["handle"].lower())
    if "name" not in sent:
        raise Invalid({"name": required_message("name")})
    return derive_slug(sent["name"], "product")


def _whole(name: str, text: str, highest: int) -> int:
    """Read a whole number as people write it, or with a decimal that is 0, as programs export it."""
    try:
        number = site_formats().read_number(text.removesuffix(".0"), decimals=0)
    except ValueError:
        number = None
    if number is None or not 0 <= number <= highest:
        raise Invalid({name: f"The {name.partition('_')[0]} must be a whole number between 0 and {highest}."})
    return int(number)


def _as_html(text: str) -> str:
    """Return a description as HTML; plain text becomes paragraphs."""
    if "<" in text:
        return text
    return "".join(f"<p>{escape(line, quote=False)}</p>" for line in text.splitlines() if line.strip())


def _options(sent: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return names and values of the options of a row. The name may be empty in all rows of a product but the first."""
    found = []
    for number in range(1, MAX_OPTIONS + 1):
        name, value = sent.get(f"option{number}_name", ""), sent.get(f"option{number}_value", "")
        if value and (name.lower(), value.lower()) != NO_OPTION and value.lower() != NO_OPTION[1]:
            found.append((name, value))
    return found


def write(rows: Sequence[Mapping[str, Any]], options: Mapping[str, Any]) -> list[bool]:
    """Create or change products; return whether each row created a variant.

    A variant is recognised by its SKU, or else by its options. The price, stock and weight of an existing one are replaced where
    the row has them; the texts of an existing product stay. Raises Invalid.
    """
    places: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(row["handle"], []).append(place)
    made = [False] * len(rows)
    for handle, own in places.items():
        for place, is_new in zip(own, _write_product(handle, [rows[place] for place in own]), strict=True):
            made[place] = is_new
    return made


def _write_product(handle: str, rows: Sequence[Mapping[str, Any]]) -> list[bool]:
    product = Product.objects.prefetch_related("variants").filter(slug=handle).first()
    if product and product.currency != settings.SITE_CURRENCY and any(row.keys() & PRICES for row in rows):
        # They were read as amounts in the site's currency.
        raise Invalid({"price": f"The prices of this product are in {product.currency.upper()}. Change them in its form."})
    values: dict[str, Any] = {} if product else _texts(handle, rows)
    options = _all_options(product, rows)
    variants: list[dict[str, Any]] = []
    if product:
        stored = product.variants.all()
        variants = [{"id": variant.pk, "sku": variant.sku, "values": variant.values} for variant in stored]
    shown = [variant["id"] for variant in variants]
    made = [_merge(row, variants) for row in rows]
    save_product(product=product, values={**values, "options": options, "variants": variants, "variants_shown": shown})
    return made


def _texts(handle: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the values of a new product, each from the first row that has it."""
    values: dict[str, Any] = {"slug": handle}
    for name in ("name", "description", "status", "category"):
        found = next((row[name] for row in rows if row.get(name)), None)
        if found is not None:
            values[name] = found
    if "name" not in values:
        raise Invalid({"name": required_message("name")})
    if "category" in values:
        values["category"] = _category(values["category"])
    return values


def _category(name: str) -> ProductCategory:
    """Return the category with this name, ignoring case, created if new."""
    known = {category.name.casefold(): category for category in ProductCategory.objects.all()}
    return known.get(name.casefold()) or save_category(values={"name": name})


def _all_options(product: Product | None, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the product's options with the values of the rows added."""
    if product:
        options = [{"name": option["name"], "values": list(option["values"])} for option in product.options]
    else:
        first = rows[0]["options"]
        options = [{"name": name or f"Option {number}", "values": []} for number, (name, _) in enumerate(first, start=1)]
    for row in rows:
        if len(row["options"]) != len(options):
            raise Invalid({"options": "All variants of a product have a value for each of its options."})
        for option, (_, value) in zip(options, row["options"], strict=True):
            if value not in option["values"]:
                option["values"].append(value)
    return options


def _merge(row: Mapping[str, Any], variants: list[dict[str, Any]]) -> bool:
    """Put a row into the list of variants; return whether it is a new one."""
    values = [value for _, value in row["options"]]
    same_sku = (variant for variant in variants if row.get("sku") and variant.get("sku") == row["sku"])
    same_values = (variant for variant in variants if variant["values"] == values)
    found = next(same_sku, None) or next(same_values, None)
    sent = {name: row[name] for name in ("sku", "compare_at_price_cents", "stock", "weight_grams", "price_cents") if name in row}
    if found is None:
        if "price_cents" not in sent:
            raise Invalid({"price": required_message("price")})
        variants.append({**sent, "values": values})
        return True
    found |= {**sent, "values": values}
    return False
