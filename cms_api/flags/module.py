"""The features and settings module: the API's own switch, and the site's name and time zone."""

from django.conf import settings

from cms_api.core.module import Module, SettingKey

MODULE = Module(
    name="flags",
    title="Features and settings",
    description="Turns features on and off and changes settings.",
    feature="api",
    settings=(
        SettingKey("site.name", str, "My site", "Shown in the header, page titles and feeds.", title="Site name"),
        SettingKey("site.timezone", str, settings.TIME_ZONE, "An IANA name such as Europe/Berlin.", title="Time zone"),
    ),
    menu_group="settings",
    menu_order=10,
    ungated_viewsets=("cms_api.flags.admin.FEATURES",),
)
