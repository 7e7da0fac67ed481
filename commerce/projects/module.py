"""The projects module: client projects with milestones, updates and files."""

from cms_api.core.module import AccountPage, Always, Block, Event, Job, Mail, Module, Route, SettingKey

_API = "commerce.projects.api."
_ONE = "projects/<id:project>"
_WRITES = {"POST": "projects:write"}
_PROJECT = {
    "name": "The client's first name; “there” if it is unknown",
    "project": "The name of the project",
    "progress": "The progress in percent",
    "url": "The client's page of the project",
}
_SAMPLE = {
    "name": "Dana",
    "project": "Mural for the lobby",
    "progress": "50%",
    "url": "https://example.org/tracking/23:6Jt0pWq3/",
}

MODULE = Module(
    name="projects",
    title="Project tracking",
    description="Client projects with milestones, updates and files.",
    feature="projects",
    uses=("accounts",),
    group="Commerce",
    abilities={"projects:read": "Read projects", "projects:write": "Update projects, tick milestones, complete projects"},
    routes=(
        Route("projects", f"{_API}Projects", {"GET": "projects:read"}),
        Route(_ONE, f"{_API}OneProject", {"GET": "projects:read"}),
        Route(f"{_ONE}/updates", f"{_API}Updates", _WRITES),
        Route(f"{_ONE}/milestones/<id:milestone>", f"{_API}OneMilestone", _WRITES),
        Route(f"{_ONE}/completion", f"{_API}Completion", _WRITES),
    ),
    pages="commerce.projects.urls.urlpatterns",
    account_pages=(AccountPage("Projects", "View your projects", "/accounts/projects/"),),
    events=(
        Event(
            "project.completed",
            "A project is marked as completed, in the admin or through the API.",
            document="commerce.projects.resources.ProjectDetailResource",
            resource="commerce.projects.resources.project_detail",
        ),
    ),
    mails=(
        Mail(
            "project_update",
            "Sends a public update to the client.",
            subject="Update on {{ project }}",
            placeholders={**_PROJECT, "note": "The update"},
            sample={
                **_SAMPLE,
                "note": Block(
                    "The last coat is on; it dries until Friday.", "<p>The last coat is on; it dries until Friday.</p>"
                ),
            },
        ),
        Mail(
            "project_milestone",
            "Tells the client that a milestone is finished.",
            subject="{{ project }}: {{ milestone }} is done",
            placeholders={**_PROJECT, "milestone": "The title of the milestone"},
            sample={**_SAMPLE, "milestone": "Sketch approved"},
        ),
    ),
    settings=(
        SettingKey(
            "projects.completion_sequence",
            str,
            "",
            "The slug of the sequence of Marketing in which clients are enrolled when their project is completed, if they are "
            "subscribers. Empty for none.",
            title="Sequence after a project",
        ),
    ),
    listens={"invoicing.client_address_ended": Always("commerce.projects.services.writing.end_links_of_client")},
    jobs=(
        Job(
            "clear_stray_project_files",
            "commerce.projects.services.files.clear_stray_files",
            every=24 * 3600,
            deletes_strays=True,
        ),
    ),
    viewsets=("commerce.projects.admin.PROJECTS", "commerce.projects.admin.CLIENT_CHOOSER"),
    cards=("commerce.projects.admin.cards.create", "commerce.projects.admin.cards.projects"),
    first_steps=("commerce.projects.admin.cards.add_project",),
    menu_group="service",
    menu_order=10,
    roles=("manager",),
    demo="commerce.projects.demo.load",
)
