"""Project endpoints: list, retrieve, add an update, tick a milestone, complete and reopen."""

from cms_api.core.locks import get_row
from cms_api.core.not_found import found_or_404
from cms_api.http import wire
from cms_api.http.endpoint import ApiRequest, Endpoint, operation
from cms_api.http.listing import Listing, Rows, answer_list, answer_one
from cms_api.http.query import Choice, Instant, Query, Sort, Text, Whole
from cms_api.http.wire import Answer, Record

from .resources import CompletedInput, ProjectDetailResource, ProjectResource, ProjectUpdateResource, UpdateInput
from .resources import project as serialized
from .resources import project_detail as detail
from .resources import update as serialized_update
from .selectors import projects
from .services import add_update, complete_project, reopen_project, tick_milestone, untick_milestone
from .types import OPEN, OVERDUE, ProjectStatus

PROJECTS = Query(
    filters=(
        Choice(
            "status",
            "The status; `open` is neither completed nor cancelled, `overdue` is open and past the due date.",
            choices=(*ProjectStatus.values, OPEN, OVERDUE),
        ),
        Text("email", "Exact address of the project or of its client, ignoring case.", max_length=254),
        Whole("client_id", "The id of the client."),
        Instant("since", "Created at or after this instant, or on or after this day."),
    ),
    sort=Sort({"created_at": "created_at", "updated_at": "updated_at"}),
)


class Projects(Endpoint):
    @operation("List projects", query=PROJECTS, answer=ProjectResource, kind="list")
    def get(self, request: ApiRequest) -> Answer:
        def serialize(rows: Rows) -> list[Record]:
            return [serialized(row) for row in rows]

        return answer_list(request, Listing(projects(**request.query), serialize))


class OneProject(Endpoint):
    @operation("Read a project", answer=ProjectDetailResource)
    def get(self, request: ApiRequest, project: int) -> Answer:
        return answer_one(request, detail(get_row(projects(), project)))


class Updates(Endpoint):
    @operation(
        "Add an update",
        description="Adds an update to a project. A public one is emailed to the client.",
        body=UpdateInput,
        answer=ProjectUpdateResource,
        status=201,
    )
    def post(self, request: ApiRequest, project: int) -> Answer:
        found = get_row(projects(), project)
        return wire.one(serialized_update(add_update(project=found, **request.input())), status=201)


class OneMilestone(Endpoint):
    @operation(
        "Tick a milestone",
        description="Marks a milestone as finished or, with `completed` false, as not finished. The client is emailed the first "
        "time that it is finished. Repeating it changes nothing. A milestone of another project is not found.",
        body=CompletedInput,
        body_optional=True,
        answer=ProjectDetailResource,
    )
    def post(self, request: ApiRequest, project: int, milestone: int) -> Answer:
        found = get_row(projects(), project)
        ticked = found_or_404(next((each for each in found.milestones.all() if each.pk == milestone), None))
        switch = tick_milestone if request.input()["completed"] else untick_milestone
        switch(milestone=ticked)
        return wire.one(detail(get_row(projects(), project)))


class Completion(Endpoint):
    @operation(
        "Complete or reopen a project",
        description="Completes a project of any status and fires `project.completed`; with `completed` false, makes a completed "
        "project active again. Repeating it changes nothing.",
        body=CompletedInput,
        body_optional=True,
        answer=ProjectDetailResource,
    )
    def post(self, request: ApiRequest, project: int) -> Answer:
        found = get_row(projects(), project)
        if request.input()["completed"]:
            complete_project(project=found)
        else:
            reopen_project(project=found, of=(ProjectStatus.COMPLETED,))
        return wire.one(detail(get_row(projects(), project)))
