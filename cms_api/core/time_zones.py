"""The time zones that this project accepts, by their IANA names."""

import functools
from typing import Any
from zoneinfo import ZoneInfo, available_timezones


@functools.cache
def zone_names() -> frozenset[str]:
    """Return the IANA names. Other names on a machine are left out, since they may mean something else on the next one."""
    return frozenset(available_timezones() - {"Factory", "localtime", "posixrules"})


def zone_named(name: Any) -> ZoneInfo | None:
    """Return the zone, or None if this is not an IANA name: no other name ever reaches the file system."""
    return ZoneInfo(name) if isinstance(name, str) and name in zone_names() else None


@functools.cache
def zones_by_region() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the names that people choose from, by region, without deprecated names and bare offsets."""
    regions: dict[str, list[str]] = {}
    for name in sorted(zone_names()):
        region, slash, _place = name.partition("/")
        if slash and region not in {"Etc", "US", "Canada", "Brazil", "Chile", "Mexico", "SystemV"}:
            regions.setdefault(region, []).append(name)
    return tuple((region, tuple(names)) for region, names in regions.items())


def zone_label(name: str) -> str:
    """Return a zone's name for people: `America/New York`."""
    return name.replace("_", " ")


def zone_choices(*others: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return groups of names and labels to choose from, with UTC and `others` even if they are not usual."""
    usual = {name for _, names in zones_by_region() for name in names}
    groups = [("General", [name for name in dict.fromkeys((*others, "UTC")) if name not in usual]), *zones_by_region()]
    return [(region, [(name, zone_label(name)) for name in names]) for region, names in groups]
