"""The taxes module: the rates that all modules that sell apply, and the numbers of their records."""

from cms_api.core.module import Admin, Module, Records, SettingKey

MODULE = Module(
    name="common",
    title="Taxes",
    description="Tax rates by country and region.",
    feature="taxes",
    is_support=True,
    admin=Admin(
        viewsets=("commerce.common.admin.TAX_RULES",),
        menu_group="settings",
        menu_order=40,
        roles=("manager",),
    ),
    records=Records(demo="commerce.common.demo.load"),
    settings=(
        SettingKey(
            "taxes.prices_include_tax",
            bool,
            False,
            "Prices are entered and shown with tax. A change applies to later sales only.",
            title="Prices include tax",
        ),
        SettingKey(
            "taxes.region",
            str,
            "",
            "As in addresses, for example CA for California, where taxes differ by region. Sales at your place, such as pick-ups "
            "and tickets, are taxed there.",
            title="State or region of the business",
        ),
        SettingKey(
            "taxes.business_details",
            str,
            "",
            "Printed on receipts, with a semicolon between lines: your business name, address and tax number.",
            title="Business details",
        ),
        SettingKey(
            "maps.tiles",
            str,
            "https://tile.openstreetmap.org/{z}/{x}/{y}.png",
            "The address of map images, with {z}, {x} and {y}. Without one, pages have no maps.",
            title="Map images",
        ),
        SettingKey(
            "maps.attribution",
            str,
            "© OpenStreetMap contributors",
            "Shown on maps, as the licence of the map images asks.",
            title="Map attribution",
        ),
    ),
)
