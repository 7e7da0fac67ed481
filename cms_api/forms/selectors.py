"""Reads of forms and submissions."""

from datetime import datetime
from typing import Any

from django.db.models import Count, Q, QuerySet

from cms_api.core import versions
from cms_api.text.search import words

from .models import Form, Submission

#: Moves with every change of a form; pages that show one depend on it.
VERSION = "forms"


def enabled_forms() -> dict[str, Form]:
    """The forms that visitors may use, by slug; kept by the process until a form changes."""
    return versions.cached(VERSION, lambda: {form.slug: form for form in Form.objects.filter(enabled=True)})


def find_form(slug: str) -> Form | None:
    """The form that visitors may use under a slug."""
    return enabled_forms().get(slug)


def submissions_of(
    form: Form,
    *,
    include_spam: bool = False,
    since: datetime | None = None,
    until: datetime | None = None,
    source: str | None = None,
) -> QuerySet[Submission]:
    """A form's submissions, those in quarantine only where they are asked for."""
    found = form.submissions.all()
    if not include_spam:
        found = found.filter(is_spam=False)
    if since:
        found = found.filter(created_at__gte=since)
    if until:
        found = found.filter(created_at__lte=until)
    return found.filter(source=source) if source else found


def found_by_words(submissions: QuerySet[Submission], text: str) -> QuerySet[Submission]:
    """Those whose values hold every word of a text, anywhere."""
    for word in words(text):
        submissions = submissions.filter(words__contains=word)
    return submissions


def with_counts(forms: QuerySet[Form]) -> QuerySet[Any]:
    """Forms with the number of their submissions and, apart, of those in quarantine."""
    good, bad = Q(submissions__is_spam=False), Q(submissions__is_spam=True)
    return forms.annotate(kept=Count("submissions", filter=good), quarantined=Count("submissions", filter=bad))
