"""Products in the admin."""

from typing import Any

from django.db.models import Exists, OuterRef, Prefetch, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from wagtail.admin.panels import FieldPanel, FieldRowPanel, HelpPanel, MultiFieldPanel, ObjectList
from wagtail.admin.ui.tables import Column
from wagtail.admin.widgets.button import BaseButton, Button
from wagtail.images import get_image_model

from cms_api.adminkit import filters
from cms_api.adminkit.bulk_actions import Bulk
from cms_api.adminkit.columns import MomentColumn, RecordColumn, StatusColumn
from cms_api.adminkit.panels import NamePanel
from cms_api.adminkit.transitions import Transition, calling
from cms_api.adminkit.viewset import RecordViewSet, by_services
from cms_api.flags.selectors import get_setting
from cms_api.text.search import matching
from commerce.common.selectors import format_money
from commerce.common.types.money import Money

from ..models import Product, ProductCategory, ProductVariant
from ..resources.pages import TILE, TILE_SPECS, images_of, picture
from ..resources.products import total_stock
from ..selectors.products import in_stock, low_in_stock, products, with_details
from ..services import archive_product, delete_product, publish_product, save_product, unpublish_product
from ..types.products import ProductStatus
from .forms import ProductForm

STOCKS = [("in", "In stock"), ("low", "Low"), ("out", "Out of stock"), ("uncounted", "Not counted")]

TABS = (
    ObjectList(
        [
            NamePanel("name"),
            FieldPanel("slug"),
            FieldPanel("status", help_text="Visitors see published products only."),
            FieldPanel("category"),
            FieldPanel("summary", help_text="One or two sentences, shown in lists and above the description."),
            FieldPanel("description"),
            FieldRowPanel([FieldPanel("kind", help_text="Digital products are downloaded."), FieldPanel("tax_class")]),
        ],
        heading="General",
    ),
    ObjectList(
        [HelpPanel("<p>The first picture represents the product in lists.</p>"), FieldPanel("pictures_editor")],
        heading="Pictures",
    ),
    ObjectList(
        [FieldPanel("options_editor"), FieldPanel("add_missing"), FieldPanel("variants_editor")],
        heading="Variants",
    ),
    ObjectList(
        [
            HelpPanel("<p>Buyers of a digital product can download these files.</p>"),
            FieldPanel("kept_files"),
            FieldPanel("new_files"),
        ],
        heading="Files",
    ),
    ObjectList(
        [
            MultiFieldPanel(
                [
                    FieldPanel("meta_title", heading="Title", help_text="Defaults to the name."),
                    FieldPanel("meta_description", heading="Description", help_text="Defaults to the summary."),
                ],
                heading="In search results",
                icon="search",
            )
        ],
        heading="Search engines",
    ),
)


def thumbnail(product: Product) -> SafeString | str:
    """Return the main picture as an image; empty without one."""
    shown = next((picture(image, TILE, alt="") for image in images_of(product)), None)
    if shown is None:
        return ""
    image = '<img src="{}" srcset="{}" sizes="60px" alt="" width="60" height="45" loading="lazy">'
    return format_html(image, shown.src, shown.srcset)


def price(product: Product) -> str:
    dearer = any(variant.price_cents > product.price_cents for variant in product.variants.all())
    return ("From " if dearer else "") + format_money(product.price)


def stock(product: Product) -> str:
    """Return how many can be sold of all variants."""
    left = total_stock(list(product.variants.all()))
    return "Not counted" if left is None else str(left)


def by_stock(products: QuerySet[Product], name: str, value: str) -> QuerySet[Product]:
    variants = ProductVariant.objects.filter(product=OuterRef("pk"))
    if value == "out":
        return products.exclude(Exists(variants.filter(in_stock())))
    condition = {"in": in_stock(), "low": low_in_stock(get_setting("shop.low_stock"))}
    found = variants.filter(stock__isnull=True) if value == "uncounted" else variants.filter(condition[value])
    return products.filter(Exists(found))


def is_in(*statuses: ProductStatus) -> Any:
    return lambda product: product.status in statuses


TONES = {ProductStatus.PUBLISHED: "positive", ProductStatus.DRAFT: "info"}


class ProductViewSet(RecordViewSet):
    model = Product
    icon = "tag"
    menu_label = "Products"
    menu_order = 10
    name = "products"
    url_prefix = "products"
    pages = ("add", "copy", "edit", "inspect", "delete", "history")
    list_display = (
        Column("picture", label="Picture", accessor=thumbnail),
        RecordColumn("name", label="Name", sort_key="name"),
        Column("price", label="Price", accessor=price, sort_key="price_cents"),
        Column("stock", label="Stock", accessor=stock),
        StatusColumn("status", label="Status", tone=lambda product: TONES.get(product.status, ""), sort_key="status"),
        Column("category", label="Category", accessor=lambda product: product.category or ""),
        MomentColumn("updated_at", label="Changed"),
    )
    filters = {
        "status": filters.choice(ProductStatus.choices),
        "category": filters.record(ProductCategory.objects.all(), null_label="No category"),
        "stock": filters.choice(STOCKS, label="Stock", method=by_stock),
        "created_at": filters.date_range("Created"),
    }
    search = matching
    search_order = 180
    csv = {
        "Name": "name",
        "Slug": "slug",
        "Status": "status",
        "Category": lambda product: product.category.name if product.category else "",
        "SKU": lambda product: ", ".join(variant.sku for variant in product.variants.all() if variant.sku),
        "Price": lambda product: product.price.amount,
        "Currency": "currency",
        "Stock": lambda product: total_stock(list(product.variants.all())),
        "Created": "created_at",
        "Changed": "updated_at",
    }
    form, panels = ProductForm, TABS
    inspect_template_name = "shop_admin/product.html"
    create_template_name = edit_template_name = copy_template_name = "shop_admin/form.html"
    delete_consequence = "Its files are deleted too, and it disappears from carts. Orders keep what was sold."
    transitions = (
        Transition(
            "publish",
            "Publish",
            calling(publish_product, "product"),
            "“{record}” is on sale.",
            offered=is_in(ProductStatus.DRAFT, ProductStatus.ARCHIVED),
        ),
        Transition(
            "unpublish",
            "Unpublish",
            calling(unpublish_product, "product"),
            "“{record}” is a draft. Visitors no longer see it.",
            offered=is_in(ProductStatus.PUBLISHED),
        ),
        Transition(
            "restore",
            "Restore as draft",
            calling(unpublish_product, "product"),
            "“{record}” is a draft.",
            offered=is_in(ProductStatus.ARCHIVED),
        ),
        Transition(
            "archive",
            "Archive",
            calling(archive_product, "product"),
            "“{record}” is archived. Visitors no longer see it.",
            offered=is_in(ProductStatus.DRAFT, ProductStatus.PUBLISHED),
        ),
    )
    bulk_actions = (
        Bulk("publish", "Publish", "published", "Visitors see them.", each=calling(publish_product, "product")),
        Bulk("unpublish", "Unpublish", "unpublished", "Visitors no longer see them.", each=calling(unpublish_product, "product")),
        Bulk("archive", "Archive", "archived", "Visitors no longer see them.", each=calling(archive_product, "product")),
        Bulk(
            "delete",
            "Delete",
            "deleted",
            "Their files are deleted too, and they disappear from carts. Orders keep what was sold.",
            each=calling(delete_product, "product"),
            permission="delete",
            serious=True,
        ),
    )
    create, update, delete = by_services(save_product, "product", delete_product)

    def records(self) -> QuerySet[Product]:
        renditions = get_image_model().get_rendition_model().objects.filter(filter_spec__in=TILE_SPECS)
        thumbnails = Prefetch("pictures__media__mediaimage__renditions", renditions, to_attr="prefetched_renditions")
        return with_details(products()).prefetch_related(thumbnails)

    def copy_record(self, record: Product) -> Product:
        given = ("summary", "category", "kind", "tax_class")
        copy: Any = Product(name=f"{record.name} (copy)"[:200], **{name: getattr(record, name) for name in given})
        copy.source = record
        return copy

    def facts(self, record: Product) -> dict[str, Any]:
        return {
            "Status": record.get_status_display(),
            "Price": price(record),
            "Stock": stock(record),
            "Category": record.category.name if record.category else "None",
            "Kind": record.get_kind_display(),
            "Tax class": record.get_tax_class_display(),
            "Published": record.published_at,
            "Created": record.created_at,
            "Changed": record.updated_at,
        }

    def inspect_context(self, record: Product, request: HttpRequest) -> dict[str, Any]:
        def show_variant(variant: ProductVariant) -> dict[str, Any]:
            former = variant.compare_at_price_cents
            return {
                "variant": variant,
                "price": format_money(Money(variant.price_cents, record.currency)),
                "former_price": format_money(Money(former, record.currency)) if former else "",
            }

        return {"variants": [show_variant(variant) for variant in record.variants.all()], "thumbnail": thumbnail(record)}

    def record_buttons(self, record: Product, user: Any) -> list[BaseButton]:
        if not record.is_published:
            return []
        return [Button("View page", url=reverse("shop_product", args=[record.slug]), icon_name="view", priority=12)]
