"""The shop module: products, carts and orders."""

from cms_api.core.module import (
    AccountPage,
    Admin,
    Api,
    Event,
    HeaderLink,
    Import,
    ImportColumn,
    Job,
    Module,
    Pages,
    Records,
    Route,
    Row,
    SettingKey,
)

from .mails import MAILS

_NOT_SHIPPED = {"carrier": None, "tracking_number": None, "tracking_url": None, "fulfilled_at": None}

_DOCUMENT = "commerce.shop.resources.orders.OrderResource"
_RESOURCE = "commerce.shop.resources.orders.order"

MODULE = Module(
    name="shop",
    title="E-Commerce",
    description="Products, orders and fulfillment.",
    feature="shop",
    uses=("accounts", "payments", "taxes"),
    api=Api(
        group="Commerce",
        abilities={"shop:read": "Read products and orders", "shop:write": "Fulfill orders"},
        routes=(
            Route("shop/products", "commerce.shop.api.products.Products", {"GET": "shop:read"}),
            Route("shop/products/<ref:product>", "commerce.shop.api.products.OneProduct", {"GET": "shop:read"}),
            Route("shop/orders", "commerce.shop.api.orders.Orders", {"GET": "shop:read"}),
            Route("shop/orders/<ref:reference>", "commerce.shop.api.orders.OneOrder", {"GET": "shop:read"}),
            Route("shop/orders/<ref:reference>/fulfill", "commerce.shop.api.orders.FulfillOrder", {"POST": "shop:write"}),
        ),
        events=(
            Event(
                "order.created",
                "An order is created.",
                document=_DOCUMENT,
                resource=_RESOURCE,
                sample={"status": "pending", "paid_at": None, "updated_at": "2026-03-01T18:28:00+00:00", **_NOT_SHIPPED},
            ),
            Event(
                "order.paid",
                "An order is paid.",
                document=_DOCUMENT,
                resource=_RESOURCE,
                sample={"status": "paid", "updated_at": "2026-03-01T18:30:00+00:00", **_NOT_SHIPPED},
            ),
            Event(
                "order.status_changed",
                "An order's status changes, also when it is fulfilled through the API.",
                document=_DOCUMENT,
                resource=_RESOURCE,
            ),
        ),
    ),
    pages=Pages(
        urls="commerce.shop.urls.urlpatterns",
        account_pages=(AccountPage("Orders", "View your orders", "/accounts/orders/"),),
        sitemap="commerce.shop.feeds.sections",
        searches=("commerce.shop.feeds.PRODUCTS",),
        footer_links="commerce.shop.feeds.footer_links",
        header_links=(HeaderLink("Cart", "/shop/cart", count_cookie="cart_items"),),
        rows=(Row("products", "commerce.shop.rows.ProductsBlock"),),
        record_pages=("shop.product",),
    ),
    admin=Admin(
        viewsets=(
            "commerce.shop.admin.ORDERS",
            "commerce.shop.admin.PRODUCTS",
            "commerce.shop.admin.DISCOUNT_CODES",
            "commerce.shop.admin.SHIPPING_METHODS",
        ),
        menu_group="sales",
        menu_order=10,
        cards={
            "commerce.shop.admin.cards.orders": "shop.view_order",
            "commerce.shop.admin.cards.low_stock": "shop.change_product",
        },
        roles=("manager",),
    ),
    records=Records(
        payables={"order": "commerce.shop.services.paying.ORDERS"},
        imports=(
            Import(
                "products",
                "Products",
                columns=(
                    ImportColumn(
                        "handle",
                        "Handle",
                        "The last part of the address. Rows with the same handle are variants of one product.",
                        also=("slug",),
                    ),
                    ImportColumn("name", "Name", "Required for new products.", also=("title", "product", "product name")),
                    ImportColumn("sku", "SKU", also=("variant sku", "article number")),
                    ImportColumn(
                        "price", "Price", "For example 12.50. Required for new variants.", also=("variant price", "regular price")
                    ),
                    ImportColumn(
                        "compare_at_price", "Price before a reduction", also=("compare-at price", "variant compare at price")
                    ),
                    ImportColumn(
                        "stock",
                        "Stock",
                        "Empty for new variants that are not counted.",
                        also=("variant inventory qty", "quantity", "inventory"),
                    ),
                    ImportColumn("weight_grams", "Weight in grams", also=("variant grams", "grams")),
                    ImportColumn("category", "Category", "Created if new.", also=("type", "product type", "categories")),
                    ImportColumn("description", "Description", also=("body (html)", "body html", "body")),
                    ImportColumn("status", "Status", "Draft, published or archived."),
                    ImportColumn("option1_name", "Option 1 name", "For example Size.", also=("option1 name",)),
                    ImportColumn("option1_value", "Option 1 value", "For example M.", also=("option1 value",)),
                    ImportColumn("option2_name", "Option 2 name", also=("option2 name",)),
                    ImportColumn("option2_value", "Option 2 value", also=("option2 value",)),
                    ImportColumn("option3_name", "Option 3 name", also=("option3 name",)),
                    ImportColumn("option3_value", "Option 3 value", also=("option3 value",)),
                ),
                read="commerce.shop.services.importing.read",
                write="commerce.shop.services.importing.write",
                match="commerce.shop.services.importing.match",
                permission="shop.add_product",
                help="A row with the handle of a product, or the SKU of a variant, replaces its price, stock and weight where it "
                "has them; the texts of existing products stay. Other rows create products, unless there is one with all their "
                "values.",
            ),
        ),
        numbers={"ORD": 1001},
        media_usage="commerce.shop.services.media_usage.MEDIA_USAGE",
        demo="commerce.shop.demo.load",
    ),
    settings=(
        SettingKey(
            "shop.abandoned_after_minutes",
            int,
            60,
            "An order that has not been paid after so many minutes is abandoned.",
            title="Minutes until an order is abandoned",
        ),
        SettingKey(
            "shop.reservation_minutes",
            int,
            35,
            "Items are reserved for so many minutes while an order is being paid. At least 31.",
            title="Minutes that items are reserved",
        ),
        SettingKey(
            "shop.reminders", bool, True, "Customers get one email about an order that they did not pay.", title="Reminders"
        ),
        SettingKey(
            "shop.low_stock",
            int,
            3,
            "When so many or fewer are left, product pages say so and the business gets an email.",
            title="Low stock",
        ),
    ),
    mails=MAILS,
    jobs=(
        Job("release_lapsed_orders", "commerce.shop.services.housekeeping.release_lapsed_orders", every=60),
        Job("forget_networks_of_orders", "commerce.shop.services.housekeeping.forget_networks_of_orders", every=3600),
        Job("remind_customers", "commerce.shop.services.housekeeping.remind_customers", every=300, reaches_people=True),
        Job("drop_forgotten_carts", "commerce.shop.services.carts.drop_forgotten_carts", every=86_400),
        Job(
            "clear_stray_product_files",
            "commerce.shop.services.files.clear_stray_files",
            every=86_400,
            always=True,
            deletes_strays=True,
        ),
    ),
)
