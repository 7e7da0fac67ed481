"""Reads of features and settings, cached in this process until the `flags` version changes."""

from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings

from cms_api.core import registry, versions
from cms_api.core.module import ANY, PUBLIC, Job
from cms_api.core.vocabulary import FEATURES
from cms_api.http.wire import is_day, parse_instant
from cms_api.text.formats import Formats, formats_for

from .models import Setting

VERSION = "flags"


def _read_stored() -> dict[str, Any]:
    return versions.load_once(VERSION, lambda: dict(Setting.objects.values_list("key", "value")))


def feature_key(name: str) -> str:
    return f"features.{name}.enabled"


def is_on(feature: str) -> bool:
    """Return whether a feature is on, with those that it requires.

    The empty name (no switch) always is, and a support module while it is used.
    """
    users = registry.support_features().get(feature)
    if users is not None:
        return any(map(is_on, users))
    if not feature:
        return True
    module = registry.features().get(feature)
    return _read_stored().get(feature_key(feature)) is True and (module is None or all(map(is_on, module.requires)))


def features() -> dict[str, bool]:
    """Return every feature of the product and whether it is on."""
    return {name: is_on(name) for name in FEATURES}


def active_jobs() -> list[Job]:
    """Return the periodic jobs of modules whose features are on, and those that always run."""
    return [job for module in registry.modules() for job in module.all_jobs if job.always or is_on(module.feature)]


def rows_off() -> list[str]:
    """Return the names of page rows of modules whose features are off."""
    return [name for name, (module, _) in registry.rows().items() if not is_on(module.feature)]


def get_setting(key: str) -> Any:
    """Return the value of a settings key: the stored value, else the declared default, else None."""
    stored = _read_stored()
    if key in stored:
        return stored[key]
    declared = registry.setting_key(key)
    return declared.default if declared else None


def get_words(key: str) -> tuple[str, ...]:
    """Return the words of a setting that is a list."""
    return words(get_setting(key) or "")


@lru_cache(maxsize=100)
def words(text: str) -> tuple[str, ...]:
    """Return the words of a list: commas, spaces or line breaks are between them."""
    return tuple(text.replace(",", " ").split())


def site_timezone() -> ZoneInfo:
    """Return the timezone in which the site shows and reads dates."""
    return ZoneInfo(get_setting("site.timezone"))


def site_country() -> str:
    """Return the ISO 3166 code of the site's country."""
    country: str = get_setting("site.country")
    return country


def site_formats() -> Formats:
    """Return how dates, times, numbers and amounts are written on the site, in mails and in the admin."""
    return formats_for(settings.LANGUAGE_CODE.partition("-")[0], site_country())


def read_moment(text: str, *, is_end: bool = False) -> datetime:
    """Return the instant of an ISO 8601 text, or of a date and time as people type them on the site. Raises ValueError.

    Those without a zone are on the site's clock. A date is the start of its day, or, if it `is_end`, the end of it.
    """
    zone = site_timezone()
    if not is_day(text):
        with suppress(ValueError):
            return parse_instant(text, zone)
    return parse_instant(site_formats().read_wall_time(text, is_end=is_end).isoformat(), zone)


def first_paths() -> dict[str, str]:
    """Return the first path under /api/v1 that a token of each ability may read, of the features that are on."""
    found: dict[str, str] = {}
    for module, route in registry.routes():
        ability = route.abilities.get("GET", PUBLIC)
        if "<" not in route.path and ability not in {PUBLIC, ANY} and is_on(route.feature or module.feature):
            found.setdefault(ability, route.path)
    return found
