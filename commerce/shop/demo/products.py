"""Demo products in four categories, in the site's currency: with variants, reduced, sold out, digital, drafts and archived.

Matched by slug, so that loading again only adds what is missing.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.conf import settings
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile

from cms_api.content.demo import library
from commerce.common.types.money import minor_units
from commerce.common.types.tax import TaxClass

from ..models import Product, ProductCategory
from ..services import save_category, save_product
from ..types.products import ProductKind, ProductStatus, combinations

CATEGORIES: Mapping[str, tuple[str, str]] = {
    "ceramics": ("Ceramics", "Thrown, glazed and fired in the mill's own kiln. No two pieces are quite the same."),
    "prints": ("Prints and cards", "Printed by hand in the print room, in small editions."),
    "textiles": ("Textiles", "Woven and dyed in the yard behind the mill."),
    "courses": ("Courses at home", "Download a course and start tonight."),
}

#: Amounts are in units of the currency, weights in grams; `stock` may be a list, with a number for each variant.
PRODUCTS: Sequence[Mapping[str, Any]] = (
    {
        "slug": "stoneware-mug",
        "name": "Stoneware mug",
        "category": "ceramics",
        "summary": "A generous mug with a thumb rest, for tea that stays warm.",
        "description": "<p>Thrown on the wheel by our potters, and glazed twice for a surface that breaks at the rim.</p>"
        "<ul><li>350 ml</li><li>Dishwasher and microwave safe</li><li>Fired at 1,240 °C</li></ul>",
        "options": [{"name": "Glaze", "values": ["Grey", "Cobalt", "Coral"]}],
        "price": 24,
        "stock": [12, 3, 0],
        "sku": "MUG",
        "weight": 380,
        "pictures": ["pots", "kiln", "tiles"],
    },
    {
        "slug": "serving-bowl",
        "name": "Serving bowl",
        "category": "ceramics",
        "summary": "Wide and shallow, for salads, pasta and fruit.",
        "description": "<p>Each bowl is turned by hand from river clay. The glaze pools like water in the weir.</p>",
        "options": [{"name": "Size", "values": ["Small", "Large"]}],
        "price": [38, 64],
        "stock": [8, 2],
        "sku": "BOWL",
        "weight": 900,
        "pictures": ["tiles", "pots"],
    },
    {
        "slug": "bud-vase",
        "name": "Bud vase",
        "category": "ceramics",
        "summary": "For one good stem. From the first firing of the new kiln.",
        "description": "<p>Sold out for now: the next firing is in a few weeks.</p>",
        "price": 18,
        "stock": 0,
        "sku": "VASE",
        "weight": 250,
        "pictures": ["kiln"],
    },
    {
        "slug": "river-at-dusk-print",
        "name": "River at dusk, screen print",
        "category": "prints",
        "summary": "Five colours on cotton paper, signed and numbered.",
        "description": "<p>An edition of 120, printed in our print room on 300 g cotton paper with deckled edges.</p>",
        "options": [{"name": "Size", "values": ["A4", "A3", "A2"]}, {"name": "Frame", "values": ["Unframed", "Oak"]}],
        "price": [35, 75, 55, 105, 90, 160],
        "stock": [20, 4, 14, 3, 6, 0],
        "sku": "RIVER",
        "weight": 200,
        "pictures": ["river", "print", "hall"],
    },
    {
        "slug": "two-colour-print",
        "name": "Two-colour print",
        "category": "prints",
        "summary": "A proof in blue and coral, reduced while they last.",
        "description": "<p>Proofs from last year's edition, with the small shifts that make each one its own.</p>",
        "price": 19,
        "former_price": 32,
        "stock": 9,
        "sku": "PROOF",
        "weight": 150,
        "pictures": ["print", "paper"],
    },
    {
        "slug": "mill-cards",
        "name": "Six cards of the mill",
        "category": "prints",
        "summary": "Letterpress cards with envelopes, blank inside.",
        "description": "<p>Two each of the mill, the yard and the weir garden, on recycled board.</p>",
        "price": 12,
        "stock": None,
        "sku": "CARDS",
        "weight": 120,
        "pictures": ["mill", "street", "garden"],
    },
    {
        "slug": "woven-throw",
        "name": "Woven throw",
        "category": "textiles",
        "summary": "Lambswool in bands of yellow, teal and cream.",
        "description": "<p>Woven on the big loom, washed and brushed by hand. 130 by 180 cm, with a short fringe.</p>",
        "price": 140,
        "stock": 5,
        "sku": "THROW",
        "weight": 1100,
        "pictures": ["loom", "studio"],
    },
    {
        "slug": "studio-apron",
        "name": "Studio apron",
        "category": "textiles",
        "summary": "Heavy linen with deep pockets, in the colours of the dye house.",
        "description": "<p>Cross-back straps, so that nothing pulls at the neck. Softer with each wash.</p>",
        "options": [{"name": "Size", "values": ["S", "M", "L"]}, {"name": "Colour", "values": ["Indigo", "Madder"]}],
        "price": 58,
        "former_price": 72,
        "stock": [6, 4, 9, 7, 2, 0],
        "sku": "APRON",
        "weight": 420,
        "pictures": ["street", "tools"],
    },
    {
        "slug": "tea-towel",
        "name": "Tea towel, tile wall",
        "category": "textiles",
        "summary": "Organic cotton, printed with the tiles of the studio wall.",
        "description": "<p>50 by 70 cm, with a loop to hang it by.</p>",
        "price": 14,
        "stock": 40,
        "sku": "TOWEL",
        "weight": 110,
        "pictures": ["studio", "tiles"],
    },
    {
        "slug": "screen-printing-course",
        "name": "Screen printing at home",
        "category": "courses",
        "summary": "A workbook with twelve exercises, from paper stencils to three colours.",
        "description": "<p>Written by our print room. 96 pages to download, print and spill ink on.</p>",
        "kind": ProductKind.DIGITAL,
        "tax_class": TaxClass.REDUCED,
        "price": 16,
        "stock": None,
        "sku": "COURSE-PRINT",
        "pictures": ["workshop", "pencils"],
        "has_file": True,
    },
    {
        "slug": "tool-set",
        "name": "Printmaker's tool set",
        "category": "courses",
        "summary": "Brushes, a roller and a bone folder, in a canvas roll.",
        "description": "<p>All that the course asks for, except the ink.</p>",
        "price": 45,
        "stock": 15,
        "sku": "TOOLS",
        "weight": 650,
        "pictures": ["tools", "pencils"],
    },
    {
        "slug": "summer-festival-poster",
        "name": "Summer festival poster",
        "category": "prints",
        "summary": "From the festival of two years ago.",
        "price": 20,
        "stock": 3,
        "sku": "POSTER",
        "weight": 150,
        "status": ProductStatus.ARCHIVED,
        "pictures": ["stage"],
    },
    {
        "slug": "dinner-plates",
        "name": "Dinner plates, set of four",
        "category": "ceramics",
        "summary": "Waiting for photographs.",
        "price": 96,
        "stock": 10,
        "sku": "PLATES",
        "weight": 2400,
        "status": ProductStatus.DRAFT,
    },
    {
        "slug": "gift-wrapping",
        "name": "Gift wrapping",
        "price": 4,
        "stock": None,
        "status": ProductStatus.DRAFT,
    },
)


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the categories and products that are missing."""
    known = set(Product.objects.values_list("slug", flat=True))
    missing = [row for row in PRODUCTS if row["slug"] not in known]
    if not missing:
        return
    categories = _categories()
    media = library.stock()
    for row in missing:
        save_product(values=_values(row, categories, media))
        progress(1)


def _categories() -> dict[str, ProductCategory]:
    found = {category.slug: category for category in ProductCategory.objects.filter(slug__in=CATEGORIES)}
    for position, (slug, (name, description)) in enumerate(CATEGORIES.items()):
        if slug not in found:
            values = {"slug": slug, "name": name, "description": description, "position": position}
            found[slug] = save_category(values=values)
    return found


def _values(row: Mapping[str, Any], categories: Mapping[str, ProductCategory], media: library.Stock) -> dict[str, Any]:
    names = ("slug", "name", "summary", "description", "kind", "tax_class")
    values = {name: row[name] for name in names if name in row}
    if row.get("has_file"):
        with default_storage.open(media.document) as document:
            values["files"] = [SimpleUploadedFile(f"{row['slug']}.pdf", document.read(), "application/pdf")]
    return {
        **values,
        "status": row.get("status", ProductStatus.PUBLISHED),
        "category": categories[row["category"]] if "category" in row else None,
        "options": row.get("options", []),
        "variants": _variants(row),
        "pictures": [media.images[name].pk for name in row.get("pictures", ())],
    }


def _variants(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    made = combinations(row.get("options", []))
    return [
        {
            "values": values,
            "price_cents": _cents(_of(row["price"], place)),
            "compare_at_price_cents": _cents(_of(row.get("former_price"), place)),
            "stock": _of(row["stock"], place),
            "sku": "-".join([row["sku"], *(value.upper() for value in values)]) if "sku" in row else "",
            "weight_grams": row.get("weight", 0),
        }
        for place, values in enumerate(made)
    ]


def _of(value: Any, place: int) -> Any:
    """Return the value of a variant, where they have one each."""
    return value[place] if isinstance(value, list) else value


def _cents(amount: int | None) -> int | None:
    return None if amount is None else minor_units(amount, settings.SITE_CURRENCY)
