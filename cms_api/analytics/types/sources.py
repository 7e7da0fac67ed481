"""The source of a visit: campaign parameters, else the referring site, whose well-known names are grouped. No database access."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from unicodedata import normalize
from urllib.parse import urlsplit

from cms_api.http.secret_urls import hide_tokens

from .exclusions import and_parents
from .sites import ALIASES, APPS, COUNTRIES, SITES, Known

MAX_NAME = 100
#: The source of visits that come from nowhere, as reports name it.
DIRECT = "direct"
#: The scheme by which apps of Android name themselves.
_APP = "android-app"

#: Names of sources by how campaigns write them.
_NAMES = {name.casefold(): name for name, _ in chain(SITES.values(), (known for _, known in COUNTRIES), APPS.values())}


@dataclass(frozen=True, slots=True)
class Source:
    """All empty for a visit that comes from nowhere. `referrer` is a host."""

    source: str = ""
    medium: str = ""
    campaign: str = ""
    referrer: str = ""


def source_of(query: Mapping[str, str], referrer: str, own_host: str) -> Source:
    """Return the source of a visit: `utm_source`, else `ref`, else the referring host, which is never the site's own."""
    host = _host(referrer)
    if host == own_host.removeprefix("www."):
        host = ""
    medium, campaign, named, ref = (_fold(query.get(f, "")) for f in ("utm_medium", "utm_campaign", "utm_source", "ref"))
    if named := named or ref:
        return Source(_name_source(named), medium, campaign, host)
    if host:
        name, known = _find_source(host)
        return Source(name, medium or known, campaign, host)
    return Source("", medium, campaign, "")


def _fold(value: str) -> str:
    """Return a value of a campaign in one spelling, whatever the case of its letters and their form."""
    return _clean(normalize("NFKC", value).casefold())


def _name_source(named: str) -> str:
    """Return the name of a source that a campaign gives: of a known site, by its name or host, or as it is."""
    known = find_known(named.removeprefix("www."))
    return ALIASES.get(named) or _NAMES.get(named) or (known[0] if known else named)


def _clean(value: str) -> str:
    return hide_tokens(" ".join("".join(each for each in value if each.isprintable()).split()))[:MAX_NAME]


def _host(address: str) -> str:
    """Return the host of a page's address, without `www.`, or the name of an app; empty for one that cannot be read."""
    try:
        parts = urlsplit(address)
        named = parts.scheme in {"http", "https", _APP}
        return (parts.hostname or "").removeprefix("www.").rstrip(".")[:MAX_NAME] if named else ""
    except ValueError:
        return ""


def _find_source(host: str) -> tuple[str, str]:
    """Return the name and the medium of a site or app that is known, else its host as a referral."""
    return find_known(host) or (host, "referral")


def find_known(host: str) -> Known | None:
    if known := APPS.get(host):
        return known
    if known := next((SITES[each] for each in and_parents(host) if each in SITES), None):
        return known
    return next((known for pattern, known in COUNTRIES if pattern.fullmatch(host)), None)
