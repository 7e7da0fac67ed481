"""The projects module: client projects with milestones, updates and files."""

from cms_api.core.module import AccountPage, Admin, Always, Api, Event, Job, Module, Pages, Records, Route, SettingKey

from .mails import MAILS

_API = "commerce.projects.api."
_ONE = "projects/<id:project>"
_WRITES = {"POST": "projects:write"}

MODULE = Module(
    name="projects",
    title="Project tracking",
    description="Client projects with milestones, updates and files.",
    feature="projects",
    uses=("accounts",),
    api=Api(
        group="Commerce",
        abilities={"projects:read": "Read projects", "projects:write": "Update projects, tick milestones, complete projects"},
        routes=(
            Route("projects", f"{_API}Projects", {"GET": "projects:read"}),
            Route(_ONE, f"{_API}OneProject", {"GET": "projects:read"}),
            Route(f"{_ONE}/updates", f"{_API}Updates", _WRITES),
            Route(f"{_ONE}/milestones/<id:milestone>", f"{_API}OneMilestone", _WRITES),
            Route(f"{_ONE}/completion", f"{_API}Completion", _WRITES),
        ),
        events=(
            Event(
                "project.completed",
                "A project is marked as completed, in the admin or through the API.",
                document="commerce.projects.resources.ProjectDetailResource",
                resource="commerce.projects.resources.project_detail",
            ),
        ),
    ),
    pages=Pages(
        urls="commerce.projects.urls.urlpatterns",
        account_pages=(AccountPage("Projects", "View your projects", "/accounts/projects/"),),
    ),
    admin=Admin(
        viewsets=("commerce.projects.admin.PROJECTS", "commerce.projects.admin.CLIENT_CHOOSER"),
        menu_group="service",
        menu_order=10,
        cards={
            "commerce.projects.admin.cards.create": "projects.add_project",
            "commerce.projects.admin.cards.projects": "projects.view_project",
        },
        first_steps={"commerce.projects.admin.cards.add_project": "projects.add_project"},
        roles=("manager",),
    ),
    records=Records(demo="commerce.projects.demo.load"),
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
    mails=MAILS,
    listens={"invoicing.client_address_ended": Always("commerce.projects.services.writing.end_links_of_client")},
    jobs=(
        Job(
            "clear_stray_project_files",
            "commerce.projects.services.files.clear_stray_files",
            every=24 * 3600,
            deletes_strays=True,
        ),
    ),
)
