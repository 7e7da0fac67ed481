"""Decides which visits are counted: not those of robots, of people who object, and of what settings and files exclude."""

from functools import lru_cache

import crawleruseragents
from django.http import HttpRequest

from ..types.events import Event
from ..types.exclusions import and_parents
from .listed import data_centers, spam_hosts
from .rules import rules


def is_counted(request: HttpRequest, agent: str, address: str) -> bool:
    """Return whether a request's sender is a person who wants to be counted, and not one of our own."""
    wants_none = request.META.get("HTTP_DNT") == "1" or request.META.get("HTTP_SEC_GPC") == "1"
    is_prefetch = "prefetch" in request.META.get("HTTP_SEC_PURPOSE", "") or "prerender" in request.META.get("HTTP_PURPOSE", "")
    return not (wants_none or is_prefetch or is_bot(agent) or is_excluded(address))


@lru_cache(maxsize=10_000)
def is_bot(agent: str) -> bool:
    """Return whether a user agent is that of a robot; none at all is, too."""
    return not agent.strip() or crawleruseragents.is_crawler(agent)


def is_excluded(address: str) -> bool:
    """Return whether an address is in an excluded network, or in a data centre."""
    return address in rules().excluded_networks or address in data_centers.get()


def is_counted_event(event: Event) -> bool:
    """Return whether an event is on a page that counts, and does not come from a site that sends referrer spam."""
    if rules().excluded_paths.match(event.path.partition("?")[0]):
        return False
    # Campaigns are named by spammers, too.
    return not (is_spam(event.referrer) or is_spam(event.source.casefold()))


def is_spam(host: str) -> bool:
    lists = (rules().spam_hosts, spam_hosts.get())
    return any(name in hosts for name in and_parents(host) for hosts in lists)
