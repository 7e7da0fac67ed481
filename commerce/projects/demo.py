"""Demo projects of every status, with and without milestones, with updates, internal notes and files.

Projects are matched by name. No events are emitted and no emails sent. Clients are those of the demo of invoicing, by their
addresses; projects of clients that are not there have the address alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any

from django.core.files.base import ContentFile
from django.db import transaction
from django.utils import timezone
from wagtail.search.backends import get_search_backend

from cms_api.flags.selectors import site_timezone
from commerce.invoicing.selectors.clients import clients

from .models import Milestone, Project, ProjectFile, ProjectUpdate
from .selectors import today
from .types import ProjectStatus

PLANNED, ACTIVE, ON_HOLD, COMPLETED, CANCELLED = ProjectStatus
#: The names and addresses of clients; the first ones are those of invoicing.
PEOPLE = (
    ("Lena Brandt", "client1@clients.example"),
    ("Dana Reyes", "client2@clients.example"),
    ("Ida Hale", "client3@clients.example"),
    ("Ruth Adeyemi", "ruth@projects.example"),
    ("Ömer Güneş", "omer@projects.example"),
)
MURAL = ("Sketch approved", "Wall primed", "First coat", "Varnished")
WEBSITE = ("Content plan", "Design", "Build", "Launch")
FURNITURE = ("Drawings approved", "Wood delivered", "Assembled", "Oiled and delivered")
CONCERT = ("Programme agreed", "Tickets on sale", "Rehearsals", "Concert")
NEWS = (
    "We have begun. The first results are there next week.",
    "Everything goes to plan. Thank you for your quick answers!",
    "The material has arrived, and it is even better than the sample.",
)
NOTES = ("Ask about the invoice address before we finish.", "They would like to see the workshop: offer a date in spring.")
NEEDED = "Please send us your logo as a vector file, and tell us who opens the door on the day of delivery."
AGREEMENT = "What we agreed on: two rounds of changes, delivery to your door, and everything that is left over is yours."


@dataclass(frozen=True, slots=True)
class Planned:
    """A project of the demo; days are from today, and dates that are not given are null."""

    name: str
    status: ProjectStatus
    client: int | None = None
    milestones: tuple[str, ...] = ()
    #: Of the milestones.
    done: int = 0
    #: In percent, where there are no milestones.
    progress: int = 0
    start: int | None = None
    due: int | None = None
    needed: str = ""
    has_files: bool = False


PLAN = (
    Planned("Mural for the lobby", ACTIVE, 0, MURAL, 2, start=-40, due=20, needed=NEEDED, has_files=True),
    Planned("Website of the pottery", ACTIVE, 1, WEBSITE, 3, start=-60, due=-5, needed="Please approve the texts of the shop."),
    Planned("Benches for the school yard", ACTIVE, 2, FURNITURE, 1, start=-12, due=45),
    Planned("Audio guide of the mill", ACTIVE, 3, progress=35, start=-20, due=60),
    Planned("Catalogue of the print collection", ACTIVE, None, progress=80, start=-90, due=-14),
    Planned("Concert on the water", PLANNED, 4, CONCERT, 0, start=30, due=120),
    Planned("Reading tables for the library", PLANNED, 0, FURNITURE, 0, start=14, due=75),
    Planned("Signs for the river path", PLANNED, 3, due=90),
    Planned("Film about the weavers", PLANNED, None),
    Planned("Glass roof of the courtyard", ON_HOLD, 2, ("Survey", "Permit", "Built"), 1, start=-100, due=150),
    Planned("Loom for the museum", ON_HOLD, 1, FURNITURE, 2, start=-70, due=-20, needed="We wait for your permit."),
    Planned("Archive of photographs", ON_HOLD, 4, progress=10, start=-30),
    Planned("Stage for the summer festival", COMPLETED, 0, FURNITURE, 4, start=-150, due=-60, has_files=True),
    Planned("Logo of the choir", COMPLETED, 1, ("Ideas", "Drafts", "Final files"), 3, start=-80, due=-35),
    Planned("Ceramic tiles for the kitchen", COMPLETED, 3, progress=90, start=-50, due=-9),
    Planned("Poster for the open day", COMPLETED, None, ("Draft", "Printed"), 1, start=-33, due=-12),
    Planned("Fountain in the garden", CANCELLED, 2, ("Survey", "Built"), 1, start=-120, due=-30),
    Planned("Tour of the north wing", CANCELLED, 4, progress=20, start=-44),
    Planned("Bell for the tower", CANCELLED, 0),
)


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the projects that are missing."""
    names = [_name(number) for number in range(len(PLAN) * scale)]
    known = set(Project.objects.filter(name__in=names).values_list("name", flat=True))
    of_invoicing = {client.email: client for client in clients().filter(email__in=[email for _, email in PEOPLE])}
    for number, name in enumerate(names):
        if name not in known:
            _make(number, PLAN[number % len(PLAN)], of_invoicing)
            progress(1)


def _name(number: int) -> str:
    round_number, place = divmod(number, len(PLAN))
    return PLAN[place].name + (f" {round_number + 1}" if round_number else "")


def _at(days: int, hour: int = 10) -> datetime:
    """Return a time on the site's clock some days from today; never in the future."""
    moment = datetime.combine(today() + timedelta(days=days), time(hour, 12), tzinfo=site_timezone())
    return min(moment, timezone.now())


@transaction.atomic
def _make(number: int, planned: Planned, of_invoicing: dict[str, Any]) -> None:
    # Days since the work began; later ones are planned for a few days.
    begun = 8 if planned.start is None else max(-planned.start, 4)
    created_at = _at(-begun - 2 - number % 5, 9 + number % 6)
    finished_at = _at(-1 - number % 4, 16) if planned.status == COMPLETED else None
    project = Project(
        name=_name(number),
        description=f"{planned.name}, from the first idea to the day on which it is handed over.",
        status=planned.status,
        started_at=None if planned.start is None else today() + timedelta(days=planned.start),
        due_at=None if planned.due is None else today() + timedelta(days=planned.due),
        progress=planned.progress,
        needed=planned.needed,
        completed_at=finished_at,
        created_at=created_at,
    )
    if planned.client is not None:
        name, email = PEOPLE[planned.client]
        project.client = of_invoicing.get(email)
        if project.client is None:
            project.client_name, project.client_email = name, email
    updates = [
        *((text, True, _at(-begun + 3 * place, 11)) for place, text in enumerate(NEWS) if begun > 3 * place + 2),
        *((text, False, _at(-begun + 1 + place, 15)) for place, text in enumerate(NOTES[: 1 + number % 2])),
    ]
    done = [_at(-begun + 2 + (begun - 4) * place // (planned.done or 1), 14) for place in range(planned.done)]
    project.updated_at = max([created_at, *done, *(at for _, _, at in updates), *filter(None, [finished_at])])
    project.save()
    span = (planned.due or 30) - (planned.start or 0)
    Milestone.objects.bulk_create(
        Milestone(
            project=project,
            title=title,
            position=place + 1,
            due_at=today() + timedelta(days=(planned.start or 0) + span * (place + 1) // len(planned.milestones)),
            completed_at=done[place] if place < planned.done else None,
            announced_at=done[place] if place < planned.done else None,
        )
        for place, title in enumerate(planned.milestones)
    )
    ProjectUpdate.objects.bulk_create(
        ProjectUpdate(project=project, note=text, is_public=is_public, created_at=at) for text, is_public, at in updates
    )
    if planned.has_files:
        for name, is_public in (("agreement.txt", True), ("calculation.txt", False)):
            content = ContentFile(AGREEMENT.encode())
            row = ProjectFile(project=project, filename=name, size=content.size, is_public=is_public, created_at=created_at)
            row.file.save("", content)
    get_search_backend().add(project)
