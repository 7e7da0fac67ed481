"""The projects module: jobs for clients, their milestones and what is told of them."""

from cms_api.core.module import Event, Module

MODULE = Module(
    name="projects",
    title="Project tracking",
    description="Client jobs with milestones and updates.",
    feature="projects",
    group="Commerce",
    events=(
        Event(
            "project.completed",
            "A project is marked as complete, in the admin or over the API.",
            document="commerce.projects.resources.ProjectDetailResource",
        ),
    ),
)
