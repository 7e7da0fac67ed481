"""Forms on the admin's home."""

from datetime import timedelta

import pytest
from django.utils import timezone

from cms_api.forms.admin.cards import new_submissions, quarantine
from tests import people
from tests.builders import make_form

pytestmark = pytest.mark.django_db


def test_it_works() -> None:
    form, now = make_form(), timezone.now()
    for age, spam in ((0, False), (6, False), (8, False), (1, True)):
        form.submissions.create(source="site", is_spam=spam, created_at=now - timedelta(days=age))
    request = people.request_by(people.mallory_manager())
    new, quarantined = new_submissions(request), quarantine(request)
    assert (new.title, new.count, new.url) == ("New form submissions", 2, "/admin/forms/submissions/?is_spam=false")
    assert (quarantined.title, quarantined.count, quarantined.url) == (
        "Submissions in quarantine",
        1,
        "/admin/forms/submissions/?is_spam=true",
    )
