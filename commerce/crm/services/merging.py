"""Several contacts that are one person become one."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid
from cms_api.forms.models import Submission
from cms_api.webhooks.services import emit
from commerce.common.services import fill_blanks
from commerce.common.types import join_tags

from ..models import Activity, Contact, MergedAddress
from ..types import MAX_NOTES, ActivityKind, Happening
from .contacts import FILLED
from .holding import hold_whole
from .index import forget_contact, index_contacts
from .timeline import record


@transaction.atomic
def merge_contacts(*, kept: Contact, others: Sequence[Contact], user: Any = None) -> Contact:
    """Makes one contact of several: what the kept one lacks comes from the others, in their order, and their timelines go over.

    What arrives for their addresses later finds the kept contact. Raises Invalid where one of them is gone, or there is
    nothing to merge.
    """
    ids = [contact.pk for contact in others if contact.pk != kept.pk]
    held = {contact.pk: contact for contact in hold_whole([kept.pk, *ids])}
    if not ids or set(held) != {kept.pk, *ids}:
        raise Invalid({"contacts": "Choose at least two existing contacts."})
    whole = held[kept.pk]
    for pk in ids:
        _take_over(whole, held[pk])
    whole.updated_at = timezone.now()
    whole.save()
    index_contacts([whole])
    said = [Happening(ActivityKind.MERGE, f"Merged with {held[pk].email}") for pk in ids]
    record(lines=[(whole, happening) for happening in said], user=user)
    log(instance=whole, action="crm.merge", user=user, data={"merged": [held[pk].email for pk in ids]})
    emit("crm.contact.updated", whole)
    return whole


def _take_over(whole: Contact, other: Contact) -> None:
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
    _hand_over_timeline(whole, other)
    Submission.objects.filter(contact_id=other.pk).update(contact_id=whole.pk)
    MergedAddress.objects.filter(contact=other).update(contact=whole)
    MergedAddress.objects.create(email=other.email, contact=whole)
    forget_contact(other)
    # The caller still names it.
    Contact.objects.filter(pk=other.pk).delete()


def _hand_over_timeline(whole: Contact, other: Contact) -> None:
    """What both timelines tell stays in one."""
    told = set(Activity.objects.filter(contact=whole).exclude(reference="").values_list("kind", "reference"))
    for kind, reference in Activity.objects.filter(contact=other).exclude(reference="").values_list("kind", "reference"):
        if (kind, reference) in told:
            Activity.objects.filter(contact=other, kind=kind, reference=reference).delete()
    Activity.objects.filter(contact=other).update(contact=whole)
