"""The visitor's time zone: chosen once, and kept in a cookie."""

from dataclasses import dataclass
from zoneinfo import ZoneInfo

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from cms_api.core.time_zones import zone_choices, zone_label, zone_named
from cms_api.flags.selectors import site_timezone

#: The parameter of addresses, and the cookie.
PARAMETER, COOKIE = "tz", "timezone"
_YEAR_SECONDS = 365 * 24 * 3600


@dataclass(frozen=True)
class VisitorZone:
    """The zone in which a page shows times."""

    zone: ZoneInfo
    #: Whether this address names it.
    is_named: bool
    #: Whether the visitor has chosen it, now or before. If not, a script may suggest the browser's, once.
    is_chosen: bool

    @property
    def label(self) -> str:
        return zone_label(self.zone.key)

    @property
    def choices(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """Return groups of names and labels to choose from, the present one among them."""
        return zone_choices(self.zone.key, site_timezone().key)

    def remember(self, response: HttpResponse) -> HttpResponse:
        """Set the cookie if this address names the zone."""
        if self.is_named:
            secure = settings.SESSION_COOKIE_SECURE
            response.set_cookie(COOKIE, self.zone.key, max_age=_YEAR_SECONDS, samesite="Lax", secure=secure, httponly=True)
        return response


def zone_of(request: HttpRequest, default: ZoneInfo | None = None) -> VisitorZone:
    """Return the zone that the address names, else `default`, else that of the cookie, else the site's."""
    named = zone_named(request.GET.get(PARAMETER, ""))
    known = default or zone_named(request.COOKIES.get(COOKIE, ""))
    return VisitorZone(named or known or site_timezone(), is_named=named is not None, is_chosen=bool(named or known))
