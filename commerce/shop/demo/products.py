"""Demo products in four categories, in the site's currency: with variants, reduced, sold out, digital, drafts and archived.

Matched by slug, so that loading again only adds what is missing.
"""

from collections.abc import Callable, Mapping
from typing import Any

from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile

from cms_api.content.demo import library
from cms_api.core.demo import data_beside, missing

from ..models import Product, ProductCategory
from ..services import save_category, save_product
from ..types.products import ProductStatus

DATA = data_beside(__file__, "products.yaml")


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the categories and products that are missing."""
    rows = [row for _, row in missing(DATA["products"], Product.objects, "slug")]
    if not rows:
        return
    for position, values in missing(DATA["categories"], ProductCategory.objects, "slug"):
        save_category(values={**values, "position": position})
    media = library.stock()
    for row in rows:
        save_product(values=_values(row, media))
        progress(1)


def _values(row: Mapping[str, Any], media: library.Stock) -> dict[str, Any]:
    """Replace the slug of the category and the names of media."""
    values = {"status": ProductStatus.PUBLISHED, "options": [], **row}
    values["pictures"] = [media.images[name].pk for name in row.get("pictures", ())]
    if "category" in row:
        values["category"] = ProductCategory.objects.get(slug=row["category"])
    if values.pop("has_file", False):
        with default_storage.open(media.document) as document:
            values["files"] = [SimpleUploadedFile(f"{row['slug']}.pdf", document.read(), "application/pdf")]
    return values
