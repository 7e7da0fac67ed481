"""Decides which visits are counted: not those of robots, of people who object, and of what settings and files exclude."""

import re
from collections.abc import Mapping
from functools import cache, lru_cache

import crawleruseragents

from ..types.events import Event
from ..types.exclusions import and_parents
from .listed import data_centers, spam_hosts
from .rules import Rules

#: Patterns of the list of robots that match what people use: the browser in Facebook's and Instagram's apps, browsers in editors,
#: and an application for single sites.
PEOPLE = frozenset({"MetaIAB Facebook", r"Code\/1\.", r"Trae\/", "Fluid"})
#: The build of an Android, which thousands of phones have.
_BUILD = re.compile(r"[A-Z0-9]{4}(\\?\.[A-Z0-9]+)+")


def is_counted(headers: Mapping[str, str], agent: str, address: str, rules: Rules) -> bool:
    """Return whether the sender of a request's headers is a person who wants to be counted, and not one of our own."""
    wants_none = headers.get("dnt") == "1" or headers.get("sec-gpc") == "1"
    is_prefetch = "prefetch" in headers.get("sec-purpose", "") or "prerender" in headers.get("purpose", "")
    return not (wants_none or is_prefetch or is_bot(agent) or is_excluded(address, rules))


@lru_cache(maxsize=10_000)
def is_bot(agent: str) -> bool:
    """Return whether a user agent is that of a robot which names itself; none at all is, too."""
    return not agent.strip() or _robots().search(agent) is not None


@cache
def _robots() -> re.Pattern[str]:
    """Return what matches the names of robots: the list without its patterns for browsers of people."""
    patterns = (entry["pattern"] for entry in crawleruseragents.CRAWLER_USER_AGENTS_DATA)
    return re.compile("|".join(each for each in patterns if each not in PEOPLE and not _BUILD.fullmatch(each)))


def is_excluded(address: str, rules: Rules) -> bool:
    """Return whether an address is in an excluded network, or in a data centre."""
    return address in rules.excluded_networks or address in data_centers.get()


def is_counted_event(event: Event, rules: Rules) -> bool:
    """Return whether an event is on a page that counts, and does not come from a site that sends referrer spam."""
    if rules.excluded_paths.match(event.path.partition("?")[0]):
        return False
    # Campaigns are named by spammers, too.
    return not (is_spam(event.referrer, rules) or is_spam(event.source.casefold(), rules))


def is_spam(host: str, rules: Rules) -> bool:
    if not host:
        return False
    lists = (rules.spam_hosts, spam_hosts.get())
    return any(name in hosts for name in and_parents(host) for hosts in lists)
