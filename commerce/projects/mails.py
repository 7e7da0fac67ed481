"""The emails of the projects module: subjects, placeholders and samples."""

from cms_api.core.module import Block, Mail, Placeholder

_PROJECT = {
    "name": Placeholder("The client's first name; “there” if it is unknown", "Dana"),
    "project": Placeholder("The name of the project", "Mural for the lobby"),
    "progress": Placeholder("The progress in percent", "50%"),
    "url": Placeholder("The client's page of the project", "https://example.org/tracking/23:6Jt0pWq3/"),
}


MAILS = (
    Mail(
        "project_update",
        "Sends a public update to the client.",
        subject="Update on {{ project }}",
        placeholders={
            **_PROJECT,
            "note": Placeholder(
                "The update",
                Block("The last coat is on; it dries until Friday.", "<p>The last coat is on; it dries until Friday.</p>"),
            ),
        },
    ),
    Mail(
        "project_milestone",
        "Tells the client that a milestone is finished.",
        subject="{{ project }}: {{ milestone }} is done",
        placeholders={**_PROJECT, "milestone": Placeholder("The title of the milestone", "Sketch approved")},
    ),
)
