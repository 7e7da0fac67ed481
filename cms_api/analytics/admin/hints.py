"""Hints at figures that are probably wrong, with what to do about them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..selectors.labels import format_count, number, percent

#: Visitors come once or twice a day, and look at a few pages. From so many sessions or page views on, so many for each visitor
#: are no coincidence: people with the same browser are one visitor, and the sessions of many of them flow together.
MIN_SESSIONS, SESSIONS_PER_VISITOR = 50, 3
MIN_VIEWS, VIEWS_PER_VISITOR = 500, 50
#: Single-view sessions rise sharply: by so many, by this factor, and with this rise of the bounce rate.
MIN_MORE_BOUNCES, BOUNCE_FACTOR, BOUNCE_RATE_RISE = 50, 2, 0.1


@dataclass(frozen=True, slots=True)
class Hint:
    title: str
    text: str
    #: Whether excluding bounces shows the other visits.
    is_about_bounces: bool = False


def hints_of(now: Mapping[str, int], before: Mapping[str, int]) -> list[Hint]:
    """Return hints at the sums of a range and of the range before."""
    return [*_one_visitor(now), *_single_views(now, before)]


def _one_visitor(now: Mapping[str, int]) -> Iterator[Hint]:
    has_sessions = now["sessions"] >= MIN_SESSIONS and now["sessions"] >= now["visitors"] * SESSIONS_PER_VISITOR
    has_views = now["pageviews"] >= MIN_VIEWS and now["pageviews"] >= now["visitors"] * VIEWS_PER_VISITOR
    if has_sessions or has_views:
        text = (
            f"{format_count(now['sessions'], 'session')} with {format_count(now['pageviews'], 'page view')} came from only "
            f"{format_count(now['visitors'], 'visitor')}. The site probably sees the address of "
            "your proxy instead of those of visitors. Set TRUSTED_PROXIES to the addresses of the proxy."
        )
        yield Hint("Nearly all visits share one address", text)


def _single_views(now: Mapping[str, int], before: Mapping[str, int]) -> Iterator[Hint]:
    if not before["sessions"] or not now["sessions"]:
        return
    rise = now["bounces"] / now["sessions"] - before["bounces"] / before["sessions"]
    if (
        now["bounces"] - before["bounces"] >= MIN_MORE_BOUNCES
        and now["bounces"] >= before["bounces"] * BOUNCE_FACTOR
        and rise >= BOUNCE_RATE_RISE
    ):
        text = (
            f"{format_count(now['bounces'], 'session')} had one page view, after {number(before['bounces'])} in the range "
            f"before, and the bounce rate has risen by {percent(rise)}. Robots that no list names look like this. Compare the "
            "sources, countries and entry pages below with those of the range before. In the settings, exclude the site that "
            "sends them as a spam referrer, or their network as an address."
        )
        yield Hint("Why so many?", text, is_about_bounces=True)
