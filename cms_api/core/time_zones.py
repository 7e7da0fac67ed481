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
