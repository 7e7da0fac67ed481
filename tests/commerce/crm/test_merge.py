"""Several contacts that are one person: nothing that was known is lost, and what comes later finds the one that is left."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from wagtail.log_actions import registry

from cms_api.core.errors import Invalid
from cms_api.forms.models import Submission
from cms_api.forms.services.submissions import submit
from cms_api.forms.types import Source
from commerce.crm.models import Activity, Contact, MergedAddress
from commerce.crm.services import record_activity, upsert_contact
from commerce.crm.services.bulk import delete_contact
from commerce.crm.services.contacts import upsert_contacts
from commerce.crm.services.merging import merge_contacts
from commerce.crm.types import ActivityKind, NewActivity
from tests.builders import field, make_form
from tests.client import Api, together

from .conftest import Emitted
from .records import lines, make_contact


@pytest.fixture(autouse=True)
def action() -> None:
    """The log's word for it, where the admin has not said it."""
    if not registry.action_exists("crm.merge"):
        registry.register_action("crm.merge", "Merge contacts", "Merged")


@pytest.mark.both_databases
def test_it_works(crm_api: Api, emitted: Emitted) -> None:
    kept = make_contact("dana@example.com", first_name="Dana", tags=["One", "two"], notes="First.")
    other = make_contact(
        "dana@work.example",
        first_name="Other",
        last_name="Reyes",
        company="Reyes Ceramics",
        tags=["TWO", "three"],
        notes="Second.",
        lifecycle="customer",
        source="fair",
    )
    third = make_contact("third@example.com", last_name="Third", phone="555", notes="First.")
    earlier = len(emitted())
    merge_contacts(kept=kept, others=[other, third])
    found = crm_api.data(f"/crm/contacts/{kept.pk}")
    assert (found["email"], found["name"], found["phone"], found["company"]["name"]) == (
        *("dana@example.com", "Dana Reyes", "555"),
        "Reyes Ceramics",
    )
    assert (found["tags"], found["notes"], found["lifecycle"], found["source"]) == (
        ["One", "two", "three"],
        "First.\n\nSecond.\n\nFirst.",
        "lead",
        "api",
    )
    assert Contact.objects.count() == 1
    assert emitted()[earlier:] == [("crm.contact.updated", found)]
    assert [row["id"] for row in crm_api.data("/crm/contacts", search="reyes")] == [kept.pk]
    assert crm_api.data("/crm/contacts", search="work") == []


@pytest.mark.both_databases
def test_timelines_become_one(crm_api: Api) -> None:
    kept, other = make_contact("dana@example.com"), make_contact("dana@work.example")
    at = timezone.now() - timedelta(hours=1)
    both = NewActivity(ActivityKind.ORDER, "Both", "order:1")
    record_activity(email=kept.email, activity=both, at=at)
    for activity in (both, NewActivity(ActivityKind.ORDER, "Other", "order:2"), NewActivity(ActivityKind.NOTE, "Note")):
        record_activity(email=other.email, activity=activity, at=at)
    merge_contacts(kept=kept, others=[other])
    assert sorted(lines(kept)) == ["Both", "Merged with dana@work.example", "Note", "Other"]
    assert Activity.objects.count() == 4


@pytest.mark.both_databases
def test_what_was_sent_in_leads_to_the_one_that_is_left() -> None:
    form = make_form(field("email", "email"))
    for email in ("dana@example.com", "dana@work.example"):
        submit(form=form, data={"email": email}, source=Source.SITE)
    kept, other = Contact.objects.order_by("id")
    merge_contacts(kept=kept, others=[other])
    assert set(Submission.objects.values_list("contact_id", flat=True)) == {kept.pk}
    later = submit(form=form, data={"email": "DANA@work.example"}, source=Source.SITE)
    assert later.contact_id == kept.pk


@pytest.mark.both_databases
def test_the_other_address_finds_the_one_that_is_left(crm_api: Api) -> None:
    first, second, third = (make_contact(f"{name}@example.com") for name in ("one", "two", "three"))
    merge_contacts(kept=second, others=[first])
    merge_contacts(kept=third, others=[second])
    assert dict(MergedAddress.objects.values_list("email", "contact")) == {
        "one@example.com": third.pk,
        "two@example.com": third.pk,
    }
    matched = crm_api.post("/crm/contacts", {"email": "ONE@example.com", "first_name": "Dana"})
    assert (matched.status_code, matched.json()["data"]["email"]) == (200, "three@example.com")
    record_activity(email="two@example.com", activity=NewActivity(ActivityKind.ORDER, "Ordered", "order:1"))
    assert "Ordered" in lines(third)
    rows = [{"email": f"{name}@example.com", "last_name": name} for name in ("two", "three", "one", "four")]
    outcome = upsert_contacts(rows=rows, source="import")
    assert [(each.contact.email, each.created) for each in outcome] == [
        ("three@example.com", False),
        ("three@example.com", False),
        ("three@example.com", False),
        ("four@example.com", True),
    ]
    assert outcome[0].contact.last_name == "two"


@pytest.mark.both_databases
def test_when_the_one_that_is_left_is_deleted_its_addresses_are_free(crm_api: Api) -> None:
    kept, other = make_contact("dana@example.com"), make_contact("dana@work.example")
    merge_contacts(kept=kept, others=[other])
    delete_contact(contact=kept)
    assert crm_api.post("/crm/contacts", {"email": "dana@work.example"}).status_code == 201


@pytest.mark.both_databases
def test_nothing_to_merge() -> None:
    kept, other = make_contact(), make_contact()
    for others in ([], [kept]):
        with pytest.raises(Invalid):
            merge_contacts(kept=kept, others=others)
    Contact.objects.filter(pk=other.pk).delete()
    with pytest.raises(Invalid):
        merge_contacts(kept=kept, others=[other])
    assert not Activity.objects.exists()


@pytest.mark.both_databases
def test_delete(crm_api: Api, emitted: Emitted) -> None:
    form = make_form(field("email", "email"))
    submission = submit(form=form, data={"email": "dana@example.com"}, source=Source.SITE)
    earlier = emitted()
    delete_contact(contact=Contact.objects.get())
    assert (Contact.objects.count(), Activity.objects.count(), emitted()) == (0, 0, earlier)
    submission.refresh_from_db()
    assert submission.contact_id is None
    assert crm_api.data("/crm/contacts", search="dana") == []


@pytest.mark.django_db(transaction=True)
def test_a_merge_while_others_capture_and_tell() -> None:
    """Nobody makes the merged address a contact of its own again, and no line is lost."""
    for turn in range(4):
        kept, other = make_contact(f"kept{turn}@example.com"), make_contact(f"other{turn}@example.com")

        def work(number: int, kept: Contact = kept, other: Contact = other) -> Any:
            if number == 0:
                return merge_contacts(kept=kept, others=[other])
            if number % 2:
                activity = NewActivity(ActivityKind.FORM, "Sent", f"form:{number}")
                return upsert_contact(values={"email": other.email}, source="api", activity=activity)
            return record_activity(email=other.email, activity=NewActivity(ActivityKind.ORDER, "Ordered", f"order:{number}"))

        together(work, 9)
        assert not Contact.objects.filter(email=other.email).exists()
        assert MergedAddress.objects.get(email=other.email).contact == kept
        assert sorted(lines(kept)) == sorted([f"Merged with {other.email}", *["Sent"] * 4, *["Ordered"] * 4])
        kept.refresh_from_db()
        assert kept.last_activity_at == Activity.objects.filter(contact=kept).latest("happened_at").happened_at
