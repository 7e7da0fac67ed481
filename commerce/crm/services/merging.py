"""Merges contacts that are one person."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid
from cms_api.forms.services.submissions import relink_submissions
from cms_api.webhooks.services import emit
from commerce.common.services import fill_blanks
from commerce.common.types import join_tags

from ..models import Activity, Contact, MergedAddress
from ..selectors import SHOWN
from ..types import MAX_NOTES, ActivityKind, NewActivity
from .contacts import FILLED
from .index import forget_contact, index_contacts
from .locking import lock_contacts
from .timeline import write_activities


@transaction.atomic
def merge_contacts(*, kept: Contact, others: Sequence[Contact], user: Any = None) -> Contact:
    """Merge contacts into one, which takes over their timelines and, in their order, values it lacks.

    Their addresses lead to it from now on. Raises Invalid if one of them is gone or there is nothing to merge.
    """
    lock_contacts()
    ids = [contact.pk for contact in others if contact.pk != kept.pk]
    # Rows are locked too: a last activity may be written after the transaction that recorded it.
    locked = Contact.objects.select_for_update(of=("self",)).select_related(*SHOWN).in_bulk([kept.pk, *ids])
    if not ids or set(locked) != {kept.pk, *ids}:
        raise Invalid({"contacts": "Choose at least two existing contacts."})
    whole = locked[kept.pk]
    for pk in ids:
        _merge_values(whole, locked[pk])
    whole.updated_at = timezone.now()
    whole.save()
    index_contacts([whole])
    emails = [locked[pk].email for pk in ids]
    write_activities([(whole, NewActivity(ActivityKind.MERGE, f"Merged with {email}")) for email in emails], user=user)
    log(instance=whole, action="crm.merge", user=user, data={"merged": emails})
    emit("crm.contact.updated", whole)
    return whole


def _merge_values(whole: Contact, other: Contact) -> None:
    tags = join_tags(whole.tags, other.tags)
    notes = "\n\n".join(filter(None, dict.fromkeys((whole.notes, other.notes))))
    fill_blanks(
        whole,
        {name: getattr(other, name) for name in (*FILLED, "source")},
        [name for name in (*FILLED, "source") if name not in {"tags", "notes"}],
    )
    whole.tags, whole.notes = tags, notes[:MAX_NOTES]
    whole.last_activity_at = max(filter(None, (whole.last_activity_at, other.last_activity_at)), default=None)
    whole.created_at = min(whole.created_at, other.created_at)
    _move_timeline(whole, other)
    relink_submissions(contact_ids=[other.pk], to=whole.pk)
    MergedAddress.objects.filter(contact=other).update(contact=whole)
    MergedAddress.objects.create(email=other.email, contact=whole)
    forget_contact(other)
    # Deleted by query, because the caller still uses the instance.
    Contact.objects.filter(pk=other.pk).delete()


def _move_timeline(whole: Contact, other: Contact) -> None:
    """Move the activities of a contact to another; those in both timelines are not duplicated."""
    known = set(Activity.objects.filter(contact=whole).exclude(reference="").values_list("kind", "reference"))
    for kind, reference in Activity.objects.filter(contact=other).exclude(reference="").values_list("kind", "reference"):
        if (kind, reference) in known:
            Activity.objects.filter(contact=other, kind=kind, reference=reference).delete()
    Activity.objects.filter(contact=other).update(contact=whole)
