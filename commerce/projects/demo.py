"""Demo projects of every status, with and without milestones, with updates, internal notes and files.

Projects are matched by name. No events are emitted and no emails sent. Clients are those of the demo of invoicing, by their
addresses; projects of clients that are not there have the address alone.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, time, timedelta
from typing import Any

from django.core.files.base import ContentFile
from django.db import transaction
from django.utils import timezone
from wagtail.search.backends import get_search_backend

from cms_api.core.demo import data_beside, pick
from cms_api.flags.selectors import site_timezone
from commerce.invoicing.selectors.clients import clients

from .models import Milestone, Project, ProjectFile, ProjectUpdate
from .selectors import today
from .types import ProjectStatus

DATA = data_beside(__file__)


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the projects that are missing."""
    names = [_name(number) for number in range(len(DATA["projects"]) * scale)]
    known = set(Project.objects.filter(name__in=names).values_list("name", flat=True))
    emails = [each["email"] for each in DATA["clients"]]
    of_invoicing = {client.email: client for client in clients().filter(email__in=emails)}
    for number, name in enumerate(names):
        if name not in known:
            _make(number, of_invoicing, **pick(DATA["projects"], number))
            progress(1)


def _name(number: int) -> str:
    round_number, place = divmod(number, len(DATA["projects"]))
    return str(DATA["projects"][place]["name"]) + (f" {round_number + 1}" if round_number else "")


def _at(days: int, hour: int = 10) -> datetime:
    """Return a time on the site's clock some days from today; never in the future."""
    moment = datetime.combine(today() + timedelta(days=days), time(hour, 12), tzinfo=site_timezone())
    return min(moment, timezone.now())


@transaction.atomic
def _make(
    number: int,
    of_invoicing: dict[str, Any],
    *,
    name: str,
    status: str,
    client: str = "",
    milestones: Sequence[str] = (),
    done: int = 0,
    start_days: int | None = None,
    due_days: int | None = None,
    has_files: bool = False,
    **columns: Any,
) -> None:
    # Days since the work began; later ones are planned for a few days.
    begun = 8 if start_days is None else max(-start_days, 4)
    created_at = _at(-begun - 2 - number % 5, 9 + number % 6)
    finished_at = _at(-1 - number % 4, 16) if status == ProjectStatus.COMPLETED else None
    project = Project(
        name=_name(number),
        description=f"{name}, from the first idea to the day on which it is handed over.",
        status=status,
        started_at=None if start_days is None else today() + timedelta(days=start_days),
        due_at=None if due_days is None else today() + timedelta(days=due_days),
        completed_at=finished_at,
        created_at=created_at,
        **columns,
    )
    if client:
        email = next(each["email"] for each in DATA["clients"] if each["name"] == client)
        project.client = of_invoicing.get(email)
        if project.client is None:
            project.client_name, project.client_email = client, email
    updates = [
        *((text, True, _at(-begun + 3 * place, 11)) for place, text in enumerate(DATA["news"]) if begun > 3 * place + 2),
        *((text, False, _at(-begun + 1 + place, 15)) for place, text in enumerate(DATA["notes"][: 1 + number % 2])),
    ]
    done_at = [_at(-begun + 2 + (begun - 4) * place // (done or 1), 14) for place in range(done)]
    project.updated_at = max([created_at, *done_at, *(at for _, _, at in updates), *filter(None, [finished_at])])
    project.save()
    first, span = start_days or 0, (due_days or 30) - (start_days or 0)
    Milestone.objects.bulk_create(
        Milestone(
            project=project,
            title=title,
            position=place + 1,
            due_at=today() + timedelta(days=first + span * (place + 1) // len(milestones)),
            completed_at=done_at[place] if place < done else None,
            announced_at=done_at[place] if place < done else None,
        )
        for place, title in enumerate(milestones)
    )
    ProjectUpdate.objects.bulk_create(
        ProjectUpdate(project=project, note=text, is_public=is_public, created_at=at) for text, is_public, at in updates
    )
    if has_files:
        for filename, is_public in (("agreement.txt", True), ("calculation.txt", False)):
            content = ContentFile(DATA["agreement"].encode())
            row = ProjectFile(project=project, filename=filename, size=content.size, is_public=is_public, created_at=created_at)
            row.file.save("", content)
    get_search_backend().add(project)
