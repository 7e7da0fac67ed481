"""Reads of forms and submissions."""

from datetime import datetime
from typing import Any

from django.db.models import Count, Q, QuerySet

from cms_api.core import versions
from cms_api.core.records import filter_given
from cms_api.text.search import words

from .models import Form, Submission

#: Moves with every change of a form; pages that show a form depend on it.
VERSION = "forms"


def enabled_forms() -> dict[str, Form]:
    """Return the enabled forms by slug; cached in the process until a form changes."""
    return versions.load_once(VERSION, lambda: {form.slug: form for form in Form.objects.filter(enabled=True)})


def find_form(slug: str) -> Form | None:
    """Return the enabled form with this slug."""
    return enabled_forms().get(slug)


def submissions_of(
    form: Form,
    *,
    include_spam: bool = False,
    since: datetime | None = None,
    until: datetime | None = None,
    source: str | None = None,
) -> QuerySet[Submission]:
    """Return a form's submissions, without spam unless `include_spam` is set."""
    found = form.submissions.all()
    if not include_spam:
        found = found.filter(is_spam=False)
    found = filter_given(found, created_at__gte=since, created_at__lte=until)
    return found.filter(source=source) if source else found


def first_submission_from(email: str) -> Submission | None:
    """Return the first submission with this address in its field `email` that is not spam."""
    return Submission.objects.filter(data__email=email, is_spam=False).order_by("pk").first()


def found_by_words(submissions: QuerySet[Submission], text: str) -> QuerySet[Submission]:
    """Filter submissions whose values contain every word of the text."""
    for word in words(text):
        submissions = submissions.filter(words__contains=word)
    return submissions


def with_counts(forms: QuerySet[Form]) -> QuerySet[Any]:
    """Annotate forms with the number of their submissions and, separately, of those in quarantine."""
    good, bad = Q(submissions__is_spam=False), Q(submissions__is_spam=True)
    return forms.annotate(kept=Count("submissions", filter=good), quarantined=Count("submissions", filter=bad))
