"""The features and settings module: the API's own switch, and the site's name and time zone."""

from django.conf import settings

from cms_api.core.module import Module, SettingKey

MODULE = Module(
    name="flags",
    title="Features and settings",
    description="Switches features on and off and changes settings, in every process at once.",
    feature="api",
    settings=(
        SettingKey("site.name", str, "My site", "The name in the header, in titles and in feeds."),
        SettingKey(
            "site.timezone", str, settings.TIME_ZONE, "IANA name of the zone in which dates are shown and bare dates are read."
        ),
    ),
    ungated_viewsets=("cms_api.flags.admin.FEATURES",),
)
