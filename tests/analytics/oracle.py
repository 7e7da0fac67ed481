"""An independent count of the stored events and visits, without roll-ups, as reports define their figures."""

from collections import defaultdict
from datetime import date
from typing import Any

from cms_api.analytics.models import Event, Visit
from cms_api.analytics.types.events import Kind


def summary(first: date, last: date, path: str = "") -> dict[str, Any]:
    """The figures of a summary, read from the events themselves."""
    events = defaultdict(list)
    for event in Event.objects.all():
        events[event.visit_id].append(event)
    seen = {visit: {event.path for event in own if event.kind == Kind.VIEW} for visit, own in events.items()}
    views = [event for own in events.values() for event in own if event.kind == Kind.VIEW and first <= event.day <= last]
    views = [event for event in views if not path or event.path == path]
    visits = [visit for visit in Visit.objects.all() if first <= visit.day <= last]
    visits = [visit for visit in visits if not path or path in seen[visit.pk]]
    is_bounce = {visit.pk: len(events[visit.pk]) == 1 and events[visit.pk][0].kind == Kind.VIEW for visit in visits}
    seconds = sum(0 if is_bounce[visit.pk] else round(visit.last_at - visit.started_at) for visit in visits)
    goals = [event for own in events.values() for event in own if event.kind == Kind.GOAL and first <= event.day <= last]
    goals = [event for event in goals if not path or path in seen[event.visit_id]]
    return {
        "visitors": len({(event.visitor, event.day) for event in views}),
        "pageviews": len(views),
        "sessions": len(visits),
        "bounce_rate": round(sum(is_bounce.values()) / len(visits), 4) if visits else 0,
        "avg_duration_seconds": round(seconds / len(visits)) if visits else 0,
        "conversions": len(goals),
    }
