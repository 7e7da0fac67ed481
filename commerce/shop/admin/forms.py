"""The form of a product: its variants are rows with amounts as people write them."""

import json
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.conf import settings
from wagtail import blocks
from wagtail.admin.widgets import AdminAutoHeightTextInput
from wagtail.images.blocks import ImageChooserBlock

from cms_api.adminkit.fields import SlugField
from cms_api.adminkit.forms import RecordForm
from cms_api.content.admin.inputs.richtext import RichTextWidget
from cms_api.core.errors import ErrorCollector, Invalid
from commerce.common.admin.amounts import kept_currency
from commerce.common.types import MAX_SLUG
from commerce.common.types.amounts import parse_amount, typed_amount
from commerce.common.types.files import FilesField
from commerce.common.types.money import MAX_CENTS

from ..models import Product, ProductVariant
from ..selectors.downloads import files_on_sale
from ..types.products import (
    MAX_FILES,
    MAX_OPTION_NAME,
    MAX_OPTIONS,
    MAX_PICTURES,
    MAX_SKU,
    MAX_STOCK,
    MAX_VARIANTS,
    MAX_WEIGHT,
    SEPARATOR,
    combinations,
    split_variant_name,
)

PRICES = {"price_cents": "price", "compare_at_price_cents": "price before the reduction"}
#: Columns of a variant that its block shows as they are stored.
PLAIN = ("sku", "stock", "weight_grams")

# Streams of one kind of block: Wagtail's script for a list fails where it is a form field by itself.
PICTURES_BLOCK = blocks.StreamBlock([("picture", ImageChooserBlock())], required=False, max_num=MAX_PICTURES)


class OptionBlock(blocks.StructBlock):
    name = blocks.CharBlock(max_length=MAX_OPTION_NAME, help_text="For example Size.")
    values = blocks.TextBlock(rows=3, help_text="One per line, in the order in which customers see them.")

    class Meta:
        icon = "list-ul"
        label_format = "{name}"


class VariantBlock(blocks.StructBlock):
    values = blocks.CharBlock(
        required=False,
        max_length=250,
        label="Variant",
        help_text=f"A value of each option, such as M{SEPARATOR}Red. Leave empty if the product has no options.",
    )
    price_cents = blocks.CharBlock(max_length=30, label="Price")
    compare_at_price_cents = blocks.CharBlock(
        required=False, max_length=30, label="Price before a reduction", help_text="Shown crossed out. Leave empty without one."
    )
    stock = blocks.IntegerBlock(
        required=False, min_value=0, max_value=MAX_STOCK, help_text="Leave empty if the pieces are not counted."
    )
    sku = blocks.CharBlock(required=False, max_length=MAX_SKU, label="SKU", help_text="Your own article number.")
    weight_grams = blocks.IntegerBlock(
        required=False, min_value=0, max_value=MAX_WEIGHT, label="Weight in grams", help_text="For shipping by weight."
    )

    class Meta:
        icon = "tag"
        label_format = "{values} {price_cents}"
        form_classname = "struct-block shop-variant"


OPTIONS_BLOCK = blocks.StreamBlock([("option", OptionBlock())], required=False, max_num=MAX_OPTIONS)
VARIANTS_BLOCK = blocks.StreamBlock([("variant", VariantBlock())], max_num=MAX_VARIANTS)


class ProductForm(RecordForm):
    only_new = ("status",)
    refused_at = {
        "options": "options_editor",
        "variants": "variants_editor",
        "pictures": "pictures_editor",
        "files": "new_files",
    }

    slug = SlugField(max_length=MAX_SLUG, help_text="The last part of the product's URL. Leave empty to derive it from the name.")
    description = forms.CharField(required=False, widget=RichTextWidget)
    options_editor = blocks.BlockField(
        OPTIONS_BLOCK, required=False, label="Options", help_text="A choice of customers, such as size or colour."
    )
    variants_editor = blocks.BlockField(VARIANTS_BLOCK, required=False, label="Variants")
    add_missing = forms.BooleanField(
        required=False,
        label="Add missing variants",
        help_text="When you save, each combination of the options that has no variant gets one, with the price and weight of the "
        "first one, and none in stock.",
    )
    pictures_editor = blocks.BlockField(PICTURES_BLOCK, required=False, label="Pictures")
    kept_files = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Files",
        help_text="Files that are not ticked are removed. Customers who have ordered them can still download them.",
    )
    new_files = FilesField(required=False, label="Add files", help_text=f"At most {MAX_FILES} files.")
    #: The stocks that the form shows, by the id of the variant: the service keeps variants and sales that it does not show.
    stocks_shown = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        product: Any = self.instance
        #: The product whose parts are shown: that of the page, or the one that is copied.
        source: Product = getattr(product, "source", product)
        variants = list(source.variants.all()) if source.pk else []
        files = list(files_on_sale(product)) if product.pk else []
        is_copy = source is not product
        rows = [_variant_item(variant, source.currency, is_copy) for variant in variants]
        self.fields["variants_editor"].help_text = kept_currency(product.currency)
        self.initial |= {
            "description": source.description,
            "options_editor": OPTIONS_BLOCK.to_python(list(map(_option_item, source.options))),
            "variants_editor": VARIANTS_BLOCK.to_python(rows or [_item("variant", {}, str(uuid.uuid4()))]),
            "pictures_editor": PICTURES_BLOCK.to_python(_picture_items(source)),
            "kept_files": [str(file.pk) for file in files],
            "stocks_shown": json.dumps({str(each.pk): each.stock for each in variants} if not is_copy else {}),
        }
        kept: Any = self.fields["kept_files"]
        kept.choices = [(str(file.pk), file.filename) for file in files]
        if not files:
            del self.fields["kept_files"]

    def values(self) -> dict[str, Any]:
        values = super().values()
        currency = self.instance.currency or settings.SITE_CURRENCY
        values["options"] = [
            {"name": option.value["name"], "values": option.value["values"].splitlines()}
            for option in values.pop("options_editor")
        ]
        stocks = _read_stocks(values.pop("stocks_shown"))
        values["variants"] = self._variants(values.pop("variants_editor"), stocks, currency)
        values["variants_shown"] = list(stocks)
        if values.pop("add_missing"):
            values["variants"] += _missing(values["options"], values["variants"])
        values["pictures"] = [picture.value.pk for picture in values.pop("pictures_editor") if picture.value]
        values["files"] = [*map(int, values.pop("kept_files", ())), *values.pop("new_files")]
        return values

    def _variants(self, rows: Any, stocks: Mapping[int, int | None], currency: str) -> list[dict[str, Any]]:
        """Return the variants for the service. Raises Invalid for amounts that cannot be read."""
        errors, found = ErrorCollector(), []
        ids = {_block_id(variant_id): variant_id for variant_id in stocks}
        for number, block in enumerate(rows):
            row = {name: block.value[name] for name in PLAIN} | {"values": split_variant_name(block.value["values"] or "")}
            row["weight_grams"] = row["weight_grams"] or 0
            for name, words in PRICES.items():
                with errors.under(f"variants.{number}"):
                    row[name] = _read_price(block.value[name] or "", currency, name, words)
            if (variant_id := ids.get(block.id or "")) is not None:
                row |= {"id": variant_id, "stock_shown": stocks[variant_id]}
            found.append(row)
        errors.raise_if_any()
        return found

    class Meta(RecordForm.Meta):
        widgets = {
            "summary": AdminAutoHeightTextInput(attrs={"rows": 2}),
            "meta_description": AdminAutoHeightTextInput(attrs={"rows": 2}),
        }


def _block_id(variant_id: int) -> str:
    """Return the id of the block of a variant, by which it is recognised wherever it is moved to."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"variant {variant_id}"))


def _option_item(option: Mapping[str, Any]) -> dict[str, Any]:
    return _item("option", {"name": option["name"], "values": "\n".join(option["values"])}, str(uuid.uuid4()))


def _variant_item(variant: ProductVariant, currency: str, is_copy: bool) -> dict[str, Any]:
    value = {name: getattr(variant, name) for name in PLAIN} | {"values": variant.name}
    for name in PRICES:
        cents = getattr(variant, name)
        # A copy is in the site's currency, in which its prices are typed if they were in another one.
        is_unknown = cents is None or (is_copy and currency != settings.SITE_CURRENCY)
        value[name] = "" if is_unknown else typed_amount(cents, currency)
    if is_copy:
        return _item("variant", value | {"sku": ""}, str(uuid.uuid4()))
    return _item("variant", value, _block_id(variant.pk))


def _picture_items(product: Product) -> list[dict[str, Any]]:
    pictures = product.pictures.all() if product.pk else []
    return [
        _item("picture", picture.media_id, str(uuid.uuid5(uuid.NAMESPACE_OID, f"picture {picture.pk}"))) for picture in pictures
    ]


def _item(kind: str, value: Any, block_id: str) -> dict[str, Any]:
    return {"type": kind, "value": value, "id": block_id}


def _read_stocks(text: str) -> dict[int, int | None]:
    """Return the stocks that the form has shown; a forged text is read as none."""
    try:
        found = json.loads(text or "{}")
        stocks = {int(key): value for key, value in found.items()}
    except (AttributeError, RecursionError, TypeError, ValueError):
        raise Invalid({"variants": "The stock couldn't be read. Reload the page."}) from None
    if any(not (value is None or (type(value) is int and 0 <= value <= MAX_STOCK)) for value in stocks.values()):
        raise Invalid({"variants": "The stock couldn't be read. Reload the page."})
    return {key: value for key, value in stocks.items() if 0 < key <= MAX_CENTS}


def _read_price(text: str, currency: str, name: str, words: str) -> int | None:
    """Return an amount in minor units; None for an empty text."""
    if not text.strip():
        return None
    try:
        return parse_amount(text, currency, key=words).cents
    except Invalid as refusal:
        raise Invalid({name: refusal.message}) from None


def _missing(options: Iterable[Mapping[str, Any]], variants: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return new variants for the combinations of the options that have none: as the first one, but with none in stock."""
    stripped = [{"values": [value.strip() for value in option["values"] if value.strip()]} for option in options]
    used = {tuple(variant["values"]) for variant in variants}
    first = variants[0] if variants else {"price_cents": 0, "stock": None, "weight_grams": 0}
    is_counted = first["stock"] is not None
    common = {"price_cents": first["price_cents"], "weight_grams": first["weight_grams"] or 0, "stock": 0 if is_counted else None}
    return [{"values": values, **common} for values in combinations(stripped) if tuple(values) not in used and values]
