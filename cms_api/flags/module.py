"""The features and settings module: the API's own switch, and the site's name, time zone and country."""

from django.conf import settings

from cms_api.core.module import Admin, Module, SettingKey
from cms_api.text.addresses import countries

MODULE = Module(
    name="flags",
    title="Features and settings",
    description="Turns features on and off and changes settings.",
    feature="api",
    admin=Admin(ungated_viewsets=("cms_api.flags.admin.FEATURES",), menu_group="settings", menu_order=10),
    settings=(
        SettingKey("site.name", str, "My site", "Shown in the header, page titles and feeds.", title="Site name"),
        SettingKey(
            "site.timezone",
            str,
            settings.TIME_ZONE,
            "An IANA name such as Europe/Berlin.",
            title="Time zone",
            check="cms_api.flags.services.timezone_mistake",
        ),
        SettingKey(
            "site.country",
            str,
            "US",
            "Dates, times, amounts and addresses are written as in this country.",
            choices=countries(),
            title="Country",
        ),
        SettingKey(
            "api.public_documentation",
            bool,
            False,
            "Shows everybody the API documentation at /api-documentation and links to it in the footer.",
            title="Public API documentation",
        ),
    ),
)
