"""An independent count of the stored events and visits, without roll-ups, as reports define their figures."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from cms_api.analytics.models import Event, Visit
from cms_api.analytics.types.events import Kind

#: The value of a visit by dimension.
VALUES: dict[str, Callable[[Visit], str]] = {
    "source": lambda visit: "\t".join((visit.source, visit.medium, visit.campaign)),
    "referrer": lambda visit: visit.referrer,
    "device": lambda visit: visit.device,
    "country": lambda visit: visit.country,
}


@dataclass
class Stored:
    """All events and visits of a range of days, narrowed to a page and to a value."""

    first: date
    last: date
    path: str = ""
    dimension: str = ""
    value: str = ""
    without_bounces: bool = False

    def __post_init__(self) -> None:
        self.own = defaultdict(list)
        for event in Event.objects.all():
            self.own[event.visit_id].append(event)
        known = {visit.pk: visit for visit in Visit.objects.all()}
        seen = {visit: {event.path for event in own if event.kind == Kind.VIEW} for visit, own in self.own.items()}
        matching = {visit for visit in known if not self.dimension or VALUES[self.dimension](known[visit]) == self.value} | (
            {None} if not self.dimension else set()
        )
        events = [event for own in self.own.values() for event in own if self.first <= event.day <= self.last]
        events = [event for event in events if event.visit_id in matching]
        self.known = known
        if self.without_bounces:
            bounces = {visit for visit in known if self.is_bounce(known[visit])}
            events = [event for event in events if event.visit_id not in bounces]
            matching -= bounces
        self.views = [event for event in events if event.kind == Kind.VIEW and self.path in {"", event.path}]
        self.goals = [
            event for event in events if event.kind == Kind.GOAL and (not self.path or self.path in seen[event.visit_id])
        ]
        self.visits = [visit for visit in known.values() if self.first <= visit.day <= self.last and visit.pk in matching]
        self.visits = [visit for visit in self.visits if {event.kind for event in self.own[visit.pk]} != {Kind.MISSING}]
        self.visits = [visit for visit in self.visits if not self.path or self.path in seen[visit.pk]]

    def is_bounce(self, visit: Visit) -> bool:
        return [event.kind for event in self.own[visit.pk]] == [Kind.VIEW]

    def summary(self) -> dict[str, Any]:
        bounces = sum(map(self.is_bounce, self.visits))
        seconds = sum(0 if self.is_bounce(visit) else round(visit.last_at - visit.started_at) for visit in self.visits)
        return {
            "visitors": _people(self.views),
            "pageviews": len(self.views),
            "sessions": len(self.visits),
            "bounce_rate": round(bounces / len(self.visits), 4) if self.visits else 0,
            "avg_duration_seconds": round(seconds / len(self.visits)) if self.visits else 0,
            "conversions": len(self.goals),
        }

    def values(self, dimension: str) -> dict[str, tuple[int, int, int]]:
        """Visitors, page views and sessions by the value of a dimension."""
        of = VALUES[dimension]
        return self._by(lambda event: of(self.known[event.visit_id]), of)

    def hours(self) -> dict[str, tuple[int, int, int]]:
        return self._by(lambda event: _hour(event.at), lambda visit: _hour(visit.started_at))

    def pages(self) -> dict[str, tuple[int, int, int]]:
        """Page views, visitors and the average time by page."""
        by_path = defaultdict(list)
        for event in self.views:
            by_path[event.path].append(event)
        return {
            path: (len(views), _people(views), round(sum(view.seconds for view in views) / len(views)))
            for path, views in by_path.items()
        }

    def conversions(self) -> dict[str, tuple[int, int]]:
        """The number and the amount by goal."""
        found: dict[str, tuple[int, int]] = {}
        for event in self.goals:
            number, amount = found.get(event.goal, (0, 0))
            found[event.goal] = number + 1, amount + event.value_cents
        return found

    def _by(self, of_event: Callable[[Event], str], of_visit: Callable[[Visit], str]) -> dict[str, tuple[int, int, int]]:
        views, visits = defaultdict(list), defaultdict(list)
        for event in self.views:
            views[of_event(event)].append(event)
        for visit in self.visits:
            visits[of_visit(visit)].append(visit)
        return {name: (_people(views[name]), len(views[name]), len(visits[name])) for name in views.keys() | visits.keys()}


def _people(views: list[Event]) -> int:
    return len({(event.visitor, event.day) for event in views})


def _hour(at: float) -> str:
    return datetime.fromtimestamp(at - at % 3600, UTC).isoformat()
