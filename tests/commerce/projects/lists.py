"""The API's list of projects, for the law on the number of statements."""

from collections.abc import Callable

from cms_api.flags.services import switch_feature
from tests.commerce.invoicing.builders import make_client

from .builders import make_project, tick


def projects(number: int) -> None:
    """Projects with milestones, half of them of a client."""
    switch_feature(name="projects", on=True)
    client = make_client(email="dana@example.com")
    for place in range(number):
        tick(make_project("Mural", "Sketch", "Paint", client=client if place % 2 else None), "Sketch")


#: How to make rows for each list, and how many statements it may take.
LISTS: dict[str, tuple[Callable[[int], None], int]] = {
    # The versions, the total, the rows with their clients, and the milestones.
    "/projects?per_page=100": (projects, 4),
    "/projects?per_page=100&status=open&email=dana@example.com&since=2026-01-01": (projects, 4),
    "/projects?per_page=100&cursor=": (projects, 3),
}
