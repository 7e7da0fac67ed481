"""Imports of products. Each row is a variant; rows with the same handle are variants of one product, as at Shopify."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from django.conf import settings

from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice, required_message
from cms_api.core.module import Match, Outcome
from cms_api.flags.selectors import site_formats
from cms_api.text.html import strip_tags
from commerce.common.services.slugs import check_slug
from commerce.common.types.amounts import parse_cell

from ..models import Product, ProductCategory, ProductVariant
from ..types.products import MAX_OPTIONS, MAX_STOCK, MAX_WEIGHT, ProductStatus
from .categories import save_category
from .products import save_product

#: The names that other programs have for statuses.
STATUSES = {"active": ProductStatus.PUBLISHED, **{status.value: status for status in ProductStatus}}
PRICES = {"price_cents", "compare_at_price_cents"}
#: The columns of a variant that a row replaces.
COLUMNS = ("sku", "price_cents", "compare_at_price_cents", "stock", "weight_grams")
#: Shopify's option of products without options.
NO_OPTION = ("title", "default title")


def read(cells: Mapping[str, str], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a row; columns that are empty are left out. Raises Invalid."""
    sent = {name: cell.strip() for name, cell in cells.items() if cell.strip()}
    errors = ErrorCollector()
    found: dict[str, Any] = {name: sent[name] for name in ("name", "sku", "category") if name in sent}
    with errors.under():
        if "handle" in sent:
            found["handle"] = check_slug(sent["handle"].lower())
        elif "name" not in sent and "sku" not in sent:
            raise Invalid({"name": required_message("name")})
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


def write(rows: Sequence[Mapping[str, Any]], options: Mapping[str, Any]) -> list[Outcome]:
    """Create or change products; return the outcome of each row.

    A product is recognised by its handle or the SKU of a variant, and a variant by its SKU, or else by its options. The price,
    stock and weight of an existing one are replaced where the row has them; the texts of an existing product stay. A row without
    handle and SKU is a new product, unless there is one with all its values. Raises Invalid.
    """
    groups: dict[str, list[int]] = {}
    handles = _handles(rows)
    for place, row in enumerate(rows):
        # No handle and no SKU has a line end.
        key = row.get("handle") or handles.get(row.get("sku", "")) or f"{row.get('sku') or place}\n"
        groups.setdefault(key, []).append(place)
    outcomes = [Outcome.UNCHANGED] * len(rows)
    for key, places in groups.items():
        handle = "" if key.endswith("\n") else key
        for place, outcome in zip(places, _write_product(handle, [rows[place] for place in places]), strict=True):
            outcomes[place] = outcome
    return outcomes


def match(rows: Sequence[Mapping[str, Any]], options: Mapping[str, Any]) -> list[Match | None]:
    """Return the variant that each row leads to, with what the row would change."""
    handles = _handles(rows)
    return [_match(row, row.get("handle") or handles.get(row.get("sku", ""), "")) for row in rows]


def _match(row: Mapping[str, Any], handle: str) -> Match | None:
    product = _find(handle) if handle else _find_same(row)
    variant = _find_variant(row, list(product.variants.all())) if product else None
    return Match(str(variant), _changes(variant, row)) if variant else None


def _handles(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the handles of the products that have the SKUs of rows without a handle, by SKU."""
    skus = {row["sku"] for row in rows if "sku" in row and "handle" not in row}
    return dict(ProductVariant.objects.filter(sku__in=skus).values_list("sku", "product__slug"))


def _find(handle: str) -> Product | None:
    return Product.objects.prefetch_related("variants").filter(slug=handle).first()


def _find_same(row: Mapping[str, Any]) -> Product | None:
    """Return a product with all the values of a row that has no handle and no SKU."""
    if "sku" in row or row["options"]:
        return None
    same = Product.objects.filter(name=row["name"], options=[]).select_related("category").prefetch_related("variants")
    if "status" in row:
        same = same.filter(status=row["status"])
    text = strip_tags(row.get("description", "")).split()
    for product in same.order_by("pk"):
        variants = list(product.variants.all())
        has_category = (product.category.name if product.category else "").casefold() == row.get("category", "").casefold()
        if (
            len(variants) == 1
            and not _changes(variants[0], row)
            and ("category" not in row or has_category)
            and (not text or strip_tags(product.description).split() == text)
            and (product.currency == settings.SITE_CURRENCY or not row.keys() & PRICES)
        ):
            return product
    return None


def _find_variant(row: Mapping[str, Any], variants: Sequence[ProductVariant]) -> ProductVariant | None:
    values = [value for _, value in row["options"]]
    same_sku = (variant for variant in variants if row.get("sku") and variant.sku == row["sku"])
    return next(same_sku, None) or next((variant for variant in variants if variant.values == values), None)


def _changes(variant: ProductVariant, row: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Return the text before and after a row, by column."""
    columns = {name: (getattr(variant, name), row[name]) for name in COLUMNS if name in row}
    if row["options"]:
        columns["options"] = (" / ".join(variant.values), " / ".join(value for _, value in row["options"]))
    return {name: (_as_text(before), _as_text(after)) for name, (before, after) in columns.items() if before != after}


def _as_text(value: Any) -> str:
    return "" if value is None else str(value)


def _write_product(handle: str, rows: Sequence[Mapping[str, Any]]) -> list[Outcome]:
    product = _find(handle) if handle else None
    if not handle and _find_same(rows[0]):
        return [Outcome.UNCHANGED]
    if product and product.currency != settings.SITE_CURRENCY and any(row.keys() & PRICES for row in rows):
        # They were read as amounts in the site's currency.
        raise Invalid({"price": f"The prices of this product are in {product.currency.upper()}. Change them in its form."})
    if not handle and rows[0]["options"]:
        raise Invalid({"handle": "Enter a handle: all variants of a product have the same one."})
    stored = list(product.variants.all()) if product else []
    known = [_find_variant(row, stored) for row in rows]
    if product and all(variant and not _changes(variant, row) for variant, row in zip(known, rows, strict=True)):
        return [Outcome.UNCHANGED] * len(rows)
    values: dict[str, Any] = {} if product else _texts(handle, rows)
    options = _all_options(product, rows)
    variants: list[dict[str, Any]] = [{"id": each.pk, "sku": each.sku, "values": each.values} for each in stored]
    shown = [variant["id"] for variant in variants]
    made = [_merge(row, variants) for row in rows]
    save_product(product=product, values={**values, "options": options, "variants": variants, "variants_shown": shown})
    return [
        Outcome.of(created=is_new, changed=variant is None or bool(_changes(variant, row)))
        for is_new, variant, row in zip(made, known, rows, strict=True)
    ]


def _texts(handle: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the values of a new product, each from the first row that has it."""
    values: dict[str, Any] = {"slug": handle} if handle else {}
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
    sent = {name: row[name] for name in COLUMNS if name in row}
    if found is None:
        if "price_cents" not in sent:
            raise Invalid({"price": required_message("price")})
        variants.append({**sent, "values": values})
        return True
    found |= {**sent, "values": values}
    return False
