"""The forms module: forms, and submissions from visitors and integrations."""

from cms_api.core.module import Block, Event, Job, Mail, Module, Route, Row, Signal

MODULE = Module(
    name="forms",
    title="Forms",
    description="Forms and their submissions.",
    group="Forms",
    abilities={
        "forms:read": "Read forms and submissions",
        "forms:write": "Submit forms",
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
    rows=(Row("form", "cms_api.forms.rows.FormBlock"),),
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
            "Sends a submission to the recipients of its form. Replies go to the sender.",
            subject="New submission: {{ form }}",
            placeholders={
                "form": "The form's name",
                "answers": "The submitted values, as a table",
                "submission": "A link to the submission in the admin; empty if the form doesn't store submissions",
            },
            sample={
                "form": "Book the hall",
                "answers": Block(
                    "Name: Dana Reyes\nOccasion: wedding",
                    '<table><tr><th scope="row">Name</th><td>Dana Reyes</td></tr>'
                    '<tr><th scope="row">Occasion</th><td>wedding</td></tr></table>',
                ),
                "submission": Block(
                    "View the submission: https://example.org/admin/forms/submissions/inspect/318/",
                    '<a href="https://example.org/admin/forms/submissions/inspect/318/">View the submission</a>',
                ),
            },
            to_staff=True,
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
    jobs=(Job("clear_stray_files", "cms_api.forms.services.files.clear_stray_files", every=24 * 3600, deletes_strays=True),),
    viewsets=("cms_api.forms.admin.FORMS",),
    menu_group="website",
    menu_order=30,
    cards=("cms_api.forms.admin.cards.submissions", "cms_api.forms.admin.cards.create"),
    roles=("manager",),
    demo="cms_api.forms.demo.load",
)
