"""The forms module: forms, and submissions from visitors and integrations."""

from cms_api.core.module import Admin, Api, Event, Job, Module, Pages, Records, Route, Row, Signal

from .mails import MAILS

MODULE = Module(
    name="forms",
    title="Forms",
    description="Forms and their submissions.",
    api=Api(
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
        events=(
            Event(
                "form.submitted",
                "A form is submitted, on the site or over the API, and it is not spam.",
                document="cms_api.forms.resources.SubmittedFormResource",
                resource="cms_api.forms.resources.submission",
            ),
        ),
    ),
    pages=Pages(urls="cms_api.forms.urls.urlpatterns", rows=(Row("form", "cms_api.forms.rows.FormBlock"),)),
    admin=Admin(
        viewsets=("cms_api.forms.admin.FORMS",),
        menu_group="website",
        menu_order=30,
        cards={
            "cms_api.forms.admin.cards.new_submissions": "forms.view_submission",
            "cms_api.forms.admin.cards.quarantine": "forms.change_submission",
            "cms_api.forms.admin.cards.create": "forms.add_form",
        },
        roles=("manager",),
    ),
    records=Records(demo="cms_api.forms.demo.load"),
    mails=MAILS,
    signals=(
        Signal(
            "forms.submission_received",
            "A submission that is not spam arrives, or is released from quarantine. The first id that a listener returns "
            "becomes the submission's contact.",
            "received: Received",
        ),
    ),
    jobs=(Job("clear_stray_files", "cms_api.forms.services.files.clear_stray_files", every=24 * 3600, deletes_strays=True),),
)
