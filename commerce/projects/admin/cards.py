"""The admin home's cards for projects, and the first step."""

from collections.abc import Iterator

from django.http import HttpRequest
from django.urls import reverse
from wagtail.admin.utils import set_query_params

from cms_api.adminkit.cards import MAX_COUNT, Card, Kind, Step, count_up_to_max

from ..models import Project
from ..selectors import of_status
from ..types import OPEN, OVERDUE


def create(request: HttpRequest) -> Card:
    return Card("Project", reverse("projects:add"), Kind.CREATE, icon="tasks")


def projects(request: HttpRequest) -> Iterator[Card]:
    """Overdue projects, and how many are open (two statements)."""
    index = reverse("projects:index")
    yield Card(
        "Overdue projects",
        set_query_params(index, {"status": OVERDUE}),
        text="Complete them, or agree on another date.",
        icon="warning",
        count=count_up_to_max(of_status(Project.objects.all(), OVERDUE)),
    )
    number = count_up_to_max(of_status(Project.objects.all(), OPEN))
    text = f"{MAX_COUNT}+" if number > MAX_COUNT else str(number)
    yield Card("Open projects", set_query_params(index, {"status": OPEN}), Kind.FIGURE, text=text, icon="tasks")


def add_project(request: HttpRequest) -> Step:
    text = "Its client, milestones and due date."
    return Step("Add a project", reverse("projects:add"), text, done=Project.objects.exists(), order=70)
