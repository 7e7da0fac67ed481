"""Inquiries about listings in the admin."""

from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.html import format_html

from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn, NotedColumn, RecordColumn, StatusColumn
from cms_api.adminkit.transitions import Transition, calling
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.core.records import delete_record
from commerce.common.admin.cells import link, paragraphs
from commerce.crm.selectors import contact_page

from ..models import Inquiry
from ..selectors.searches import inquiries
from ..services import release_inquiry


def state(inquiry: Inquiry) -> str:
    return "Spam" if inquiry.is_spam else "Received"


class InquiryViewSet(RecordViewSet):
    model = Inquiry
    icon = "mail"
    menu_label = "Inquiries"
    menu_order = 40
    name = "property_inquiries"
    url_prefix = "real-estate/inquiries"
    pages = ("inspect", "delete", "history")
    list_display = (
        RecordColumn("name", label="Name", accessor="name"),
        NotedColumn("email", label="Email", note=lambda each: each.phone),
        NotedColumn("title", label="Listing", note=lambda each: each.listing_key),
        StatusColumn(
            "is_spam",
            label="Status",
            accessor=state,
            tone=lambda each: "warning" if each.is_spam else "positive",
            note=lambda each: each.spam_reason,
        ),
        MomentColumn("created_at", label="Received"),
    )
    filters = {
        "is_spam": filters.choice([("False", "Received"), ("True", "Spam")], label="Status"),
        "created_at": filters.date_range("Received"),
    }
    search_fields = ["name", "email", "title", "listing_key", "message"]
    csv = {
        "Name": "name",
        "Email": "email",
        "Phone": "phone",
        "Message": "message",
        "Listing": "title",
        "Listing key": "listing_key",
        "Agent": "agent_name",
        "Spam": lambda each: "yes" if each.is_spam else "no",
        "Received": "created_at",
    }
    transitions = (
        Transition(
            "release",
            "Not spam",
            calling(release_inquiry, "inquiry"),
            "The inquiry is no longer spam. It is emailed to the address for inquiries.",
            "This inquiry was not spam any more.",
            offered=lambda each: each.is_spam,
        ),
    )

    def records(self) -> QuerySet[Inquiry]:
        return inquiries()

    def delete(self, record: Inquiry, user: Any) -> None:
        delete_record(record=record, user=user)

    def facts(self, record: Inquiry) -> dict[str, Any]:
        contact = contact_page(record.email)
        listing = record.listing
        return {
            "Status": " · ".join(filter(None, (state(record), record.spam_reason))),
            "Listing": (
                link(record.title, reverse("property_listings:inspect", args=[listing.pk]))
                if listing is not None
                else f"{record.title} (removed)"
            ),
            "Listing key": record.listing_key,
            "Agent": record.agent_name or None,
            "Name": record.name,
            "Email": format_html('<a href="mailto:{0}">{0}</a>', record.email),
            "Phone": record.phone or None,
            "Contact": link("Open in the CRM", contact) if contact else None,
            "Message": paragraphs(record.message),
            "Received": record.created_at,
        }
