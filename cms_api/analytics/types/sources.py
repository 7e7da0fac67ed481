"""The source of a visit: campaign parameters, else the referring site, whose well-known names are grouped. No database access."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from cms_api.http.secret_urls import hide_tokens

MAX_NAME = 100
#: The source of visits that come from nowhere, as reports name it.
DIRECT = "direct"

#: Parts of hosts to the name of the source and its medium. A part matches whole labels: `google` is in `www.google.co.uk`.
KNOWN = {
    "google": ("Google", "search"),
    "bing": ("Bing", "search"),
    "duckduckgo": ("DuckDuckGo", "search"),
    "ecosia": ("Ecosia", "search"),
    "yahoo": ("Yahoo", "search"),
    "baidu": ("Baidu", "search"),
    "yandex": ("Yandex", "search"),
    "qwant": ("Qwant", "search"),
    "startpage": ("Startpage", "search"),
    "kagi": ("Kagi", "search"),
    "search.brave": ("Brave", "search"),
    "facebook": ("Facebook", "social"),
    "instagram": ("Instagram", "social"),
    "linkedin": ("LinkedIn", "social"),
    "lnkd": ("LinkedIn", "social"),
    "twitter": ("X", "social"),
    "t.co": ("X", "social"),
    "x.com": ("X", "social"),
    "bsky": ("Bluesky", "social"),
    "mastodon": ("Mastodon", "social"),
    "threads": ("Threads", "social"),
    "reddit": ("Reddit", "social"),
    "pinterest": ("Pinterest", "social"),
    "tiktok": ("TikTok", "social"),
    "youtube": ("YouTube", "social"),
    "youtu.be": ("YouTube", "social"),
    "whatsapp": ("WhatsApp", "social"),
    "t.me": ("Telegram", "social"),
    "ycombinator": ("Hacker News", "social"),
    "github": ("GitHub", "referral"),
    "wikipedia": ("Wikipedia", "referral"),
    "chatgpt": ("ChatGPT", "ai"),
    "claude": ("Claude", "ai"),
    "perplexity": ("Perplexity", "ai"),
    "gemini.google": ("Gemini", "ai"),
    "mail.google": ("Gmail", "email"),
    "outlook": ("Outlook", "email"),
}


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
    medium, campaign = (_clean(query.get(name, "")) for name in ("utm_medium", "utm_campaign"))
    named = _clean(query.get("utm_source", "")) or _clean(query.get("ref", ""))
    if named:
        return Source(named, medium, campaign, host)
    if host:
        name, known = _find_source(host)
        return Source(name, medium or known, campaign, host)
    return Source("", medium, campaign, "")


def _clean(value: str) -> str:
    return hide_tokens(" ".join("".join(each for each in value if each.isprintable()).split()))[:MAX_NAME]


def _host(address: str) -> str:
    """Return the host of a page's address, without `www.`; empty for an app or an address that cannot be read."""
    try:
        parts = urlsplit(address)
        return (parts.hostname or "").removeprefix("www.")[:MAX_NAME] if parts.scheme in {"http", "https"} else ""
    except ValueError:
        return ""


def _find_source(host: str) -> tuple[str, str]:
    """Return the name and the medium of a site: the longest part that is known, else its host as a referral."""
    padded = f".{host}."
    found = max((part for part in KNOWN if f".{part}." in padded), key=len, default="")
    return KNOWN[found] if found else (host, "referral")
