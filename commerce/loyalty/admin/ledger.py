"""The ledger in the admin: all entries of all members."""

from typing import Any

from django.http import HttpRequest
from wagtail.admin.ui.tables import Column, TitleColumn

from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn, person
from cms_api.adminkit.ids import is_id
from cms_api.adminkit.viewset import RecordViewSet
from commerce.members.selectors import members

from ..models import PointsEntry
from ..selectors import entries, members_named
from ..types import points_in_words, reason_in_words


def asked_member(request: HttpRequest | None) -> Any:
    """Return the member to filter by, from the query string: there are too many for a select in the filter drawer."""
    text = request.GET.get("member", "") if request else ""
    return members().filter(pk=int(text) if is_id(text) else 0)


def known_reasons() -> list[tuple[str, str]]:
    found = PointsEntry.objects.order_by("reason").values_list("reason", flat=True).distinct()
    return [(reason, reason_in_words(reason)) for reason in found]


def adjusted_by(entry: PointsEntry) -> str:
    """Return the name of the user who adjusted the points; empty if they were earned or spent."""
    return person(entry.user)


class EntryViewSet(RecordViewSet):
    model = PointsEntry
    icon = "list-ul"
    menu_label = "Ledger"
    menu_order = 20
    name = "loyalty_ledger"
    url_prefix = "loyalty/ledger"
    pages = ()
    list_display = (
        TitleColumn("member", label="Member", accessor=lambda entry: str(entry.member)),
        Column("points", label="Points", accessor=lambda entry: points_in_words(entry.points)),
        Column("reason", label="Reason", accessor="reason_words"),
        Column("note", label="Note"),
        Column("user", label="By", accessor=adjusted_by),
        MomentColumn("created_at", label="Date"),
    )
    filters = {
        "member": filters.record(asked_member),
        "reason": filters.choice(known_reasons),
        "created_at": filters.date_range("Date"),
    }
    search = members_named
    csv = {
        "Member": "member.name",
        "Email": "member.email",
        "Points": "points",
        "Reason": "reason",
        "Reference": "reference",
        "Note": "note",
        "By": adjusted_by,
        "Created": "created_at",
    }

    def records(self) -> Any:
        return entries()
