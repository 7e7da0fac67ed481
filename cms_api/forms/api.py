"""The form endpoints: read forms and submissions, submit a form."""

from rest_framework import serializers

from cms_api.core.locks import get_row
from cms_api.core.not_found import found_or_404
from cms_api.http import wire
from cms_api.http.endpoint import ApiRequest, Endpoint, operation
from cms_api.http.listing import Listing, answer_list, answer_one
from cms_api.http.query import Choice, Flag, Instant, Query, Sort
from cms_api.http.serializers import InputSerializer
from cms_api.http.wire import Answer

from . import resources, selectors
from .models import Form, Submission
from .resources import FormResource, NotStoredResource, SubmissionResource
from .services import submit
from .types import Source

SUBMISSIONS = Query(
    filters=(
        Flag("include_spam", "Include submissions in quarantine.", default=False),
        Choice("source", "Where it was submitted: on the site or through the API.", choices=tuple(Source.values)),
        Instant("since", "Submitted at or after this instant or date."),
        Instant("from", "Submitted at or after this instant or date."),
        Instant("to", "Submitted by this instant, or by the end of this date.", end_of_day=True),
    ),
    sort=Sort({"created_at": "created_at"}),
)


class SubmissionInput(InputSerializer):
    """A submission to a form."""

    data = serializers.DictField(  # type: ignore[assignment]
        help_text="Values by field key; unknown keys and values of file fields are dropped and named in `meta.ignored`."
    )

    example = {"data": {"name": "Dana Reyes", "email": "dana.reyes@example.com", "occasion": "wedding"}}


class Forms(Endpoint):
    @operation(
        "List forms with their fields",
        query=Query(sort=Sort({"created_at": "created_at", "updated_at": "updated_at", "name": "name"})),
        answer=FormResource,
        kind="list",
    )
    def get(self, request: ApiRequest) -> Answer:
        return answer_list(request, Listing(Form.objects.all(), lambda rows: [resources.form(row) for row in rows]))


class OneForm(Endpoint):
    @operation("Read a form", answer=FormResource)
    def get(self, request: ApiRequest, form: int) -> Answer:
        return answer_one(request, resources.form(get_row(Form.objects.all(), form)))


class Submissions(Endpoint):
    @operation("List the submissions of a form", query=SUBMISSIONS, answer=SubmissionResource, kind="list")
    def get(self, request: ApiRequest, form: int) -> Answer:
        found = get_row(Form.objects.all(), form)
        wanted = request.query
        begin = [moment for moment in (wanted["since"], wanted["from"]) if moment]
        submissions = selectors.submissions_of(
            found,
            include_spam=wanted["include_spam"],
            since=max(begin, default=None),
            until=wanted["to"],
            source=wanted["source"],
        )
        return answer_list(request, Listing(submissions, lambda rows: [resources.submission(row) for row in rows]))

    @operation(
        "Submit a form",
        description="Handled like a submission on the site: it is stored, its recipients are notified by email, and its sender "
        "becomes a contact. It is not checked for spam.",
        body=SubmissionInput,
        answer=SubmissionResource,
        status=201,
        instead=((202, "Accepted; the form does not store submissions.", NotStoredResource),),
    )
    def post(self, request: ApiRequest, form: int) -> Answer:
        found = get_row(Form.objects.all(), form)
        data = request.input()["data"]
        submission = submit(form=found, data=data, source=Source.API)
        taken = {field.key for field in found.schema if field.type != "file"}
        request.ignored += [f"data.{key}" for key in data if key not in taken]
        if not submission.pk:
            return wire.one(resources.not_stored(found), status=202)
        return wire.one(resources.submission(submission), status=201)


class OneSubmission(Endpoint):
    @operation("Read a submission, including those in quarantine", answer=SubmissionResource)
    def get(self, request: ApiRequest, form: int, submission: int) -> Answer:
        found = found_or_404(Submission.objects.filter(form_id=form, pk=submission).first())
        return answer_one(request, resources.submission(found))
