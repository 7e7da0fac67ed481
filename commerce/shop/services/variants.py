"""The options and variants of a product: checked together, and written without losing what sales change meanwhile."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import CharField, F, Q, Value
from django.db.models.functions import Cast, Concat

from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice, required_message, taken_message
from cms_api.flags.selectors import get_setting
from commerce.common.services.checks import check_line, check_price, check_whole, is_amount, is_whole

from ..models import Product, ProductVariant
from ..types.products import (
    MAX_OPTION_NAME,
    MAX_OPTION_VALUE,
    MAX_OPTIONS,
    MAX_SKU,
    MAX_STOCK,
    MAX_VARIANTS,
    MAX_WEIGHT,
    SEPARATOR,
    variant_name,
)

#: Columns that are set as they are sent; the stock is not.
COLUMNS = ("sku", "price_cents", "compare_at_price_cents", "weight_grams")
REMOVED = "This variant has been removed meanwhile. Reload the page."
ADDED = "The variant “{}” has been added meanwhile. Reload the page."


@dataclass
class Change:
    """A variant as it shall be: the columns that change, and its stock if somebody changed that."""

    variant: ProductVariant
    columns: dict[str, Any] = field(default_factory=dict)
    #: The `stock` of the row that was sent, and the `stock_shown`; absent if nobody changed it.
    stock: dict[str, int | None] = field(default_factory=dict)


def check_options(sent: Any) -> list[dict[str, Any]]:
    """Return options as they are stored. Raises Invalid by path: `options.0.name`."""
    errors = ErrorCollector()
    if not isinstance(sent, list) or len(sent) > MAX_OPTIONS:
        raise Invalid({"options": f"A product may have at most {MAX_OPTIONS} options."})
    options: list[dict[str, Any]] = []
    names: set[str] = set()
    for number, option in enumerate(sent):
        path = f"options.{number}"
        name = str(option.get("name") or "").strip()
        values = [str(value).strip() for value in option.get("values") or ()]
        check_line(errors, f"{path}.name", name, MAX_OPTION_NAME, needed=True)
        if name.casefold() in names:
            errors.add(f"{path}.name", taken_message("name"))
        names.add(name.casefold())
        _check_values(errors, f"{path}.values", values)
        options.append({"name": name, "values": values})
    errors.raise_if_any()
    return options


def _check_values(errors: ErrorCollector, path: str, values: Sequence[str]) -> None:
    if not values or not all(values):
        errors.add(path, required_message("values"))
    elif len({value.casefold() for value in values}) < len(values):
        errors.add(path, "Each value must be different.")
    elif len(values) > MAX_VARIANTS:
        errors.add(path, f"An option may have at most {MAX_VARIANTS} values.")
    elif any(SEPARATOR in value or not value.isprintable() or len(value) > MAX_OPTION_VALUE for value in values):
        errors.add(path, f"A value must be one line of at most {MAX_OPTION_VALUE} characters, without “{SEPARATOR.strip()}”.")


def added_meanwhile(product: Product, shown: Collection[int] | None) -> list[ProductVariant]:
    """Return the variants that a sender did not know, who was shown those with the ids `shown`; none if that is None.

    The caller has locked the product.
    """
    if shown is None or product._state.adding:
        return []
    return list(ProductVariant.objects.filter(product=product).exclude(pk__in=shown))


def with_values(options: Sequence[Mapping[str, Any]], variants: Iterable[ProductVariant]) -> list[dict[str, Any]]:
    """Return options with the values that variants have of them."""
    found = [{"name": option["name"], "values": list(option["values"])} for option in options]
    for variant in variants:
        if len(variant.values) == len(found):
            for option, value in zip(found, variant.values, strict=True):
                option["values"] += [] if value in option["values"] else [value]
    return found


def check_variants(
    product: Product, options: Sequence[Mapping[str, Any]], sent: Any, added: Sequence[ProductVariant] = ()
) -> list[Change]:
    """Return what changes in the variants of a product. Locks them. Raises Invalid by path: `variants.0.price_cents`.

    Without `sent`, the variants stay, and only have to agree with the options. Those `added` meanwhile follow the ones that are
    sent.
    """
    stored = _lock(product)
    if sent is None:
        sent, added = [{"id": variant.pk} for variant in stored.values()], ()
    if not isinstance(sent, list) or not sent:
        raise Invalid({"variants": "Add at least one variant."})
    if len(sent) + len(added) > MAX_VARIANTS:
        raise Invalid({"variants": f"A product may have at most {MAX_VARIANTS} variants."})
    errors = ErrorCollector()
    changes = []
    used: dict[str, set[str]] = {"values": set(), "sku": set()}
    for number, row in enumerate(sent):
        with errors.under(f"variants.{number}"):
            change = _read(product, row, stored, number)
            _check(change, options, used)
            changes.append(change)
    for variant in (each for each in added if each.pk in stored):
        change = _read(product, {"id": variant.pk}, stored, len(changes))
        try:
            _check(change, options, used)
        except Invalid:
            errors.add("variants", ADDED.format(variant.name))
        changes.append(change)
    _check_skus(errors, product, changes)
    errors.raise_if_any()
    return changes


def _lock(product: Product) -> dict[int, ProductVariant]:
    """Return the stored variants by id, in display order, locked in the order of their ids, as sales lock them."""
    if product._state.adding:
        return {}
    rows = ProductVariant.objects.select_for_update(no_key=True).filter(product=product).order_by("pk")
    return {variant.pk: variant for variant in sorted(rows, key=lambda variant: (variant.position, variant.pk))}


def _read(product: Product, row: Any, stored: dict[int, ProductVariant], position: int) -> Change:
    """Return the variant of a row with its new values, unsaved."""
    if not isinstance(row, dict):
        raise Invalid({"": "The variant must be an object."})
    variant_id = row.get("id")
    if variant_id is not None and variant_id not in stored:
        raise Invalid({"": REMOVED})
    # Taken out, so that a second row of the same variant is refused.
    variant = stored.pop(variant_id) if variant_id is not None else ProductVariant(product=product)
    if variant._state.adding and "price_cents" not in row:
        raise Invalid({"price_cents": required_message("price")})
    sent = {name: row[name] for name in COLUMNS if name in row} | {"position": position}
    if "values" in row:
        sent["values"] = row["values"]
    if isinstance(sent.get("sku"), str):
        sent["sku"] = sent["sku"].strip()
    change = Change(variant, {name: value for name, value in sent.items() if getattr(variant, name) != value})
    for name, value in change.columns.items():
        setattr(variant, name, value)
    if "stock" in row and ("stock_shown" not in row or row["stock"] != row["stock_shown"]):
        change.stock = {name: row[name] for name in ("stock", "stock_shown") if name in row}
    return change


def _check(change: Change, options: Sequence[Mapping[str, Any]], used: dict[str, set[str]]) -> None:
    variant, errors = change.variant, ErrorCollector()
    check_price(errors, "price_cents", variant.price_cents)
    _check_former_price(errors, variant)
    check_line(errors, "sku", variant.sku, MAX_SKU)
    check_whole(errors, "weight_grams", variant.weight_grams, MAX_WEIGHT)
    for name, value in change.stock.items():
        if value is not None:
            check_whole(errors, name, value, MAX_STOCK)
    if refusal := _values_refusal(variant.values, options):
        errors.add("values", refusal)
    else:
        name = variant_name(variant.values)
        if name in used["values"]:
            errors.add(
                "values",
                "There is another variant with the same values." if name else "Add options that tell the variants apart.",
            )
        used["values"].add(name)
        if name != variant.name:
            variant.name = change.columns["name"] = name
    if variant.sku and variant.sku in used["sku"]:
        errors.add("sku", taken_message("SKU"))
    used["sku"].add(str(variant.sku))
    errors.raise_if_any()


def _check_former_price(errors: ErrorCollector, variant: ProductVariant) -> None:
    former = variant.compare_at_price_cents
    if former is None:
        return
    check_price(errors, "compare_at_price_cents", former)
    if is_whole(former, 0, former) and is_amount(variant.price_cents) and former <= variant.price_cents:
        errors.add("compare_at_price_cents", "The price before the reduction must be higher than the price.")


def _values_refusal(values: Any, options: Sequence[Mapping[str, Any]]) -> str:
    """Return what is wrong with the values of a variant; empty if nothing is."""
    if not isinstance(values, list) or len(values) != len(options):
        names = ", ".join(option["name"] for option in options)
        return f"Enter a value for each option: {names}." if options else "The product has no options."
    for value, option in zip(values, options, strict=True):
        if value not in option["values"]:
            return str(invalid_choice(str(option["name"]), option["values"]))
    return ""


def _check_skus(errors: ErrorCollector, product: Product, changes: Sequence[Change]) -> None:
    """Refuse SKUs of other products."""
    skus = {change.variant.sku for change in changes if isinstance(change.variant.sku, str) and change.variant.sku}
    if not skus:
        return
    others = ProductVariant.objects.filter(sku__in=skus).exclude(product=product.pk)
    for sku in others.values_list("sku", flat=True):
        number = next(number for number, change in enumerate(changes) if change.variant.sku == sku)
        errors.add(f"variants.{number}.sku", taken_message("SKU"))


def write_variants(product: Product, changes: Sequence[Change]) -> None:
    """Write the changed columns of variants, add new ones, and delete those that are missing. Raises Invalid."""
    kept = [change.variant.pk for change in changes if change.variant.pk]
    ProductVariant.objects.filter(product=product).exclude(pk__in=kept).delete()
    # Two variants may swap their names or SKUs, which have to be unique at every moment.
    renamed = [change.variant.pk for change in changes if change.variant.pk and change.columns.keys() & {"name", "sku"}]
    if renamed:
        unlike_any = Concat(Value("\x7f"), Cast("pk", CharField()))
        ProductVariant.objects.filter(pk__in=renamed).update(name=unlike_any, sku="")
    try:
        with transaction.atomic():
            for change in changes:
                _write(product, change, renamed)
    except IntegrityError:
        # Another transaction has just taken it.
        raise Invalid({"variants": taken_message("SKU")}) from None
    for number, change in enumerate(changes):
        if change.stock and change.variant.pk in kept and not _write_stock(change):
            raise Invalid({f"variants.{number}.stock": "Fewer are left by now, or more are reserved. Reload the page."})
    _clear_low(product)


def _write(product: Product, change: Change, renamed: Sequence[int]) -> None:
    variant, columns = change.variant, dict(change.columns)
    if variant._state.adding:
        variant.product, variant.stock = product, change.stock.get("stock")
        variant.save()
        return
    if variant.pk in renamed:
        columns |= {"name": variant.name, "sku": variant.sku}
    if columns:
        ProductVariant.objects.filter(pk=variant.pk).update(**columns)


def _write_stock(change: Change) -> bool:
    """Write a changed stock; return False if it would fall below what is reserved.

    If the sender says which stock was shown, the difference is added, so that sales meanwhile count.
    """
    wanted, shown = change.stock["stock"], change.stock.get("stock_shown")
    rows = ProductVariant.objects.filter(pk=change.variant.pk)
    if wanted is None or shown is None or change.variant.stock is None:
        enough = rows if wanted is None else rows.filter(reserved__lte=wanted)
        return bool(enough.update(stock=wanted))
    more = wanted - shown
    return bool(rows.filter(stock__gte=F("reserved") - more).update(stock=F("stock") + more))


def _clear_low(product: Product) -> None:
    """Forget that the business was notified of a low stock where there is more again."""
    is_more = Q(stock__isnull=True) | Q(stock__gt=F("reserved") + get_setting("shop.low_stock"))
    ProductVariant.objects.filter(is_more, product=product, is_low=True).update(is_low=False)
