"""The emails of the projects module: subjects, placeholders and samples."""

from cms_api.core.module import Block, Mail

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

MAILS = (
    Mail(
        "project_update",
        "Sends a public update to the client.",
        subject="Update on {{ project }}",
        placeholders={**_PROJECT, "note": "The update"},
        sample={
            **_SAMPLE,
            "note": Block("The last coat is on; it dries until Friday.", "<p>The last coat is on; it dries until Friday.</p>"),
        },
    ),
    Mail(
        "project_milestone",
        "Tells the client that a milestone is finished.",
        subject="{{ project }}: {{ milestone }} is done",
        placeholders={**_PROJECT, "milestone": "The title of the milestone"},
        sample={**_SAMPLE, "milestone": "Sketch approved"},
    ),
)
