"""The forms module: what visitors and integrations send in."""

from cms_api.core.module import Block, Event, Job, Mail, Module, Route, Signal

MODULE = Module(
    name="forms",
    title="Forms",
    description="Forms, and what has been submitted with them.",
    group="Forms",
    abilities={
        "forms:read": "Read forms and what was sent in with them",
        "forms:write": "Send forms in",
    },
    routes=(
        Route("forms", "cms_api.forms.api.Forms", {"GET": "forms:read"}),
        Route("forms/<id:form>", "cms_api.forms.api.OneForm", {"GET": "forms:read"}),
        Route(
            "forms/<id:form>/submissions",
            "cms_api.forms.api.Submissions",
            {"GET": "forms:read", "POST": "forms:write"},
        ),
        Route("forms/<id:form>/submissions/<id:submission>", "cms_api.forms.api.OneSubmission", {"GET": "forms:read"}),
    ),
    pages="cms_api.forms.urls.urlpatterns",
    events=(
        Event(
            "form.submitted",
            "A form is submitted, on the site or over the API, and it is not spam.",
            document="cms_api.forms.resources.SubmittedFormResource",
            resource="cms_api.forms.resources.submission",
        ),
    ),
    mails=(
        Mail(
            "form_submitted",
            "Tells the recipients of a form what was sent in with it. An answer goes to whoever sent it.",
            subject="{{ form }}: a new message",
            placeholders={
                "form": "The form's name",
                "answers": "What was filled in, as a table",
                "submission": "Where it stands in the admin, as a link; empty where the form keeps no submissions",
            },
            sample={
                "form": "Ask for the hall",
                "answers": Block(
                    "Name: Dana Reyes\nOccasion: wedding",
                    '<table><tr><th scope="row">Name</th><td>Dana Reyes</td></tr>'
                    '<tr><th scope="row">Occasion</th><td>wedding</td></tr></table>',
                ),
                "submission": Block(
                    "In the admin: https://example.org/admin/forms/submissions/inspect/318/",
                    '<a href="https://example.org/admin/forms/submissions/inspect/318/">Open it in the admin</a>',
                ),
            },
        ),
    ),
    signals=(
        Signal(
            "forms.submission_received",
            "A submission that is not spam arrives, or is released from quarantine. The first id that a listener returns "
            "becomes the submission's contact.",
            "received: Received",
        ),
    ),
    jobs=(Job("clear_stray_files", "cms_api.forms.services.files.clear_stray_files", every=24 * 3600),),
    viewsets=("cms_api.forms.admin.FORMS",),
    roles=("manager",),
    demo="cms_api.forms.demo.load",
)
