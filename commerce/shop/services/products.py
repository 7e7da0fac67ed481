"""Creates, changes, publishes and deletes products, with their variants, pictures and files."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice
from cms_api.core.locks import lock_for_share
from cms_api.media.services.library import lock_images
from cms_api.text.html import clean_html
from commerce.common.services.checks import check_line
from commerce.common.services.media_usage import write_pictures
from commerce.common.services.slugs import store_with_slug
from commerce.common.types.tax import TaxClass

from ..models import Product, ProductCategory
from ..selectors.downloads import is_downloadable
from ..types.products import (
    MAX_DESCRIPTION,
    MAX_META_DESCRIPTION,
    MAX_META_TITLE,
    MAX_PICTURES,
    MAX_PRODUCT_NAME,
    MAX_SUMMARY,
    ProductKind,
    ProductStatus,
)
from .files import check_files, forget_files, save_files
from .invalidation import forget_product, index_product, invalidate_products
from .variants import added_meanwhile, check_options, check_variants, with_values, write_variants

GONE = "This product has been deleted."
#: One line of text each, and its greatest length.
LINES = {
    "name": MAX_PRODUCT_NAME,
    "summary": MAX_SUMMARY,
    "meta_title": MAX_META_TITLE,
    "meta_description": MAX_META_DESCRIPTION,
}
CHOICES = {"status": ProductStatus, "kind": ProductKind, "tax_class": TaxClass}


@transaction.atomic
def save_product(*, values: dict[str, Any], product: Product | None = None, user: Any = None) -> Product:
    """Create or change a product; values not given are unchanged. A new one's slug defaults to one made from its name.

    Besides the columns of the model, `values` may have

    - `options`: `[{"name": "Size", "values": ["S", "M"]}]`;
    - `variants`: all of them, in display order, each with its `id` unless it is new, and the columns that are to be set. The
      `stock` is set as it is, or, with the `stock_shown` to the sender, changed by the difference: sales meanwhile are not lost;
    - `variants_shown`: ids of the variants that the sender knew; others have been added meanwhile, and stay. Without it, all
      variants that are not sent are removed;
    - `pictures`: ids of images of the library, the main one first;
    - `files`: ids of files of the product, and uploaded files. Those who have ordered a file that is not there keep it.

    Prices are in minor units. Raises Invalid by path: `variants.0.price_cents`.
    """
    now = timezone.now()
    # Pictures are locked before the product, as when one is deleted.
    pictures = _check_pictures(values["pictures"]) if "pictures" in values else None
    saved = _lock(product) if product else Product(created_at=now, currency=settings.SITE_CURRENCY)
    _assign(saved, values, now)
    options = check_options(values["options"]) if "options" in values else saved.options
    added = added_meanwhile(saved, values.get("variants_shown"))
    options = with_values(options, added)
    changes = check_variants(saved, options, values.get("variants"), added)
    if "files" in values:
        check_files(saved, values["files"])
    saved.options, saved.updated_at = options, now
    cheapest = min((change.variant for change in changes), key=lambda variant: variant.price_cents)
    saved.price_cents, saved.compare_at_price_cents = cheapest.price_cents, cheapest.compare_at_price_cents
    store_with_slug(saved, values, "product", user=user)
    write_variants(saved, changes)
    if pictures is not None:
        write_pictures(saved.pictures, pictures)
    if "files" in values:
        save_files(saved, values["files"], now=now)
    index_product(saved)
    invalidate_products([saved.pk])
    return saved


def _lock(product: Product) -> Product:
    locked = Product.objects.select_for_update(no_key=True).filter(pk=product.pk).first()
    if locked is None:
        raise Invalid({"name": GONE})
    return locked


def _assign(product: Product, values: dict[str, Any], now: datetime) -> None:
    """Set the columns of a product, unsaved. Raises Invalid with all errors."""
    errors = ErrorCollector()
    for name, longest in LINES.items():
        if name in values:
            setattr(product, name, values[name].strip() if isinstance(values[name], str) else values[name])
        check_line(errors, name, getattr(product, name), longest, needed=name == "name")
    for name, choices in CHOICES.items():
        if name in values:
            setattr(product, name, values[name])
        if getattr(product, name) not in choices.values:
            errors.add(name, invalid_choice(name, choices.values))
    if product.is_published and product.published_at is None:
        product.published_at = now
    if "description" in values:
        with errors.under("description"):
            product.description = _clean_description(values["description"])
    if "category" in values:
        with errors.under("category"):
            product.category = _locked_category(values["category"])
    errors.raise_if_any()


def _clean_description(html: Any) -> str:
    if not isinstance(html, str) or len(html) > MAX_DESCRIPTION:
        raise Invalid({"": f"The description may not be greater than {MAX_DESCRIPTION} characters."})
    return clean_html(html)


def _locked_category(category: ProductCategory | None) -> ProductCategory | None:
    if category is not None and not lock_for_share(ProductCategory, [category.pk]):
        raise Invalid({"": invalid_choice("category")})
    return category


def _check_pictures(sent: Any) -> list[int]:
    """Return the ids of existing images, each once; they are not deleted before the transaction ends. Raises Invalid."""
    errors = ErrorCollector()
    ids = list(dict.fromkeys(sent))
    if len(ids) > MAX_PICTURES:
        raise Invalid({"pictures": f"A product may have at most {MAX_PICTURES} pictures."})
    known = lock_images(ids)
    for number, media_id in enumerate(ids):
        if media_id not in known:
            errors.add(f"pictures.{number}", invalid_choice("picture"))
    errors.raise_if_any()
    return ids


def publish_product(*, product: Product, user: Any = None) -> bool:
    """Put a product on sale; return False if it is already. Raises Invalid if it is gone."""
    return _set_status(product, ProductStatus.PUBLISHED, "shop.publish", user)


def unpublish_product(*, product: Product, user: Any = None) -> bool:
    """Make a product a draft; return False if it is one. Raises Invalid if it is gone."""
    return _set_status(product, ProductStatus.DRAFT, "shop.unpublish", user)


def archive_product(*, product: Product, user: Any = None) -> bool:
    """Take a product off sale for good; return False if it is archived. Raises Invalid if it is gone."""
    return _set_status(product, ProductStatus.ARCHIVED, "shop.archive", user)


@transaction.atomic
def _set_status(product: Product, status: ProductStatus, action: str, user: Any) -> bool:
    locked, now = _lock(product), timezone.now()
    if locked.status == status:
        return False
    locked.status, locked.updated_at = status, now
    if locked.is_published and locked.published_at is None:
        locked.published_at = now
    locked.save(update_fields=["status", "published_at", "updated_at"])
    log(instance=locked, action=action, user=user)
    invalidate_products([locked.pk])
    return True


@transaction.atomic
def delete_product(*, product: Product, user: Any = None) -> None:
    """Delete a product, and its files. Orders keep what was sold; carts lose it.

    Raises Invalid (`product`) if customers have bought its files.
    """
    locked = Product.objects.select_for_update().filter(pk=product.pk).first()
    if locked is None:
        return
    if locked.files.exists() and is_downloadable(locked):
        raise Invalid({"product": "Customers have bought the files of this product. Archive it instead."})
    log(instance=locked, action="wagtail.delete", user=user, deleted=True)
    forget_product(locked)
    forget_files(list(locked.files.all()))
    locked.delete()
    invalidate_products([product.pk])
