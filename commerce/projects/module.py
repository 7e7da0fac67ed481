"""The projects module: client projects with milestones and updates."""

from cms_api.core.module import Event, Module

MODULE = Module(
    name="projects",
    title="Project tracking",
    description="Client projects with milestones and updates.",
    feature="projects",
    group="Commerce",
    events=(
        Event(
            "project.completed",
            "A project is marked as completed, in the admin or through the API.",
            document="commerce.projects.resources.ProjectDetailResource",
        ),
    ),
)
