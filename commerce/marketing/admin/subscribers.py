"""Subscribers in the admin: list, add, edit, unsubscribe and resubscribe, with sequences and emails."""

from typing import Any

import django_filters
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import URLPattern
from django.utils.text import Truncator
from wagtail.admin.panels import FieldPanel, FieldRowPanel, MultiFieldPanel
from wagtail.admin.ui.tables import Column
from wagtail.admin.widgets.button import BaseButton, HeaderButton
from wagtail.log_actions import log
from wagtail.permissions import policy_registry

from cms_api.adminkit import filters
from cms_api.adminkit.charts import Chart, Series, daily, last_days
from cms_api.adminkit.columns import MomentColumn, RecordColumn, StatusColumn
from cms_api.adminkit.transitions import Transition, calling
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.core.errors import Invalid
from cms_api.mail.selectors import mails_to, may_read_log
from cms_api.text.search import matching
from commerce.common.selectors import filter_by_tag
from commerce.common.types import MAX_TAG
from commerce.imports.selectors import import_url

from ..models import Enrolment, Sequence, Subscriber
from ..selectors import SHOWN_ROWS, enrolments_of, sources
from ..services.enrolment import stop
from ..services.subscribers import delete_subscriber, resubscribe, unsubscribe, update_subscriber, upsert_subscriber
from ..types import Status
from .bulk import BULK_ACTIONS, SubscriberAction
from .forms import SubscriberForm

SOURCE = "admin"
#: Maximum characters of tags in the list.
SUMMARY_CHARACTERS = 60
CHARTED_DAYS = 30


def activation(name: str, label: str, status: Status, confirm: str) -> Transition:
    """Return the button that subscribes people of this status."""
    return Transition(
        name,
        label,
        calling(resubscribe, "subscriber"),
        "{record.email} is subscribed.",
        "They are already subscribed.",
        offered=lambda found: found.status == status,
        confirm=confirm,
    )


def by_tag(subscribers: QuerySet[Subscriber], name: str, value: str) -> QuerySet[Subscriber]:
    return filter_by_tag(subscribers, value)


STOP = Transition(
    "stop",
    "Stop",
    lambda enrolment, user, _: stop(enrolment=enrolment),
    "{record.subscriber} gets no more emails of “{record.sequence}”.",
    "This enrolment had already ended.",
)


class SubscriberViewSet(RecordViewSet):
    model = Subscriber
    icon = "group"
    menu_label = "Subscribers"
    menu_order = 10
    name = "subscribers"
    url_prefix = "marketing/subscribers"
    pages = ("add", "edit", "inspect", "delete", "history")
    delete_consequence = (
        "Their enrolments are deleted too, and so is the record that they unsubscribed: the next import with this address "
        "subscribes them again. To stop sending them emails, unsubscribe them instead."
    )
    inspect_template_name = "marketing_admin/subscriber.html"
    index_results_template_name = "marketing_admin/subscribers_results.html"
    search = matching
    search_order = 140
    list_display = (
        RecordColumn("email", label="Email", sort_key="email", accessor="email"),
        Column("name", label="Name"),
        StatusColumn("status", label="Status", primary=lambda found: found.status == Status.ACTIVE),
        Column("tags", label="Tags", accessor=lambda found: Truncator(", ".join(found.tags)).chars(SUMMARY_CHARACTERS)),
        Column("source", label="Source", sort_key="source"),
        MomentColumn("confirmed_at", label="Confirmed", sort_key=None),
        MomentColumn("created_at", label="Created"),
    )
    filters = {
        "status": filters.choice(Status.choices),
        "tag": django_filters.CharFilter(label="Tag", method=by_tag, max_length=MAX_TAG),
        "source": django_filters.ChoiceFilter(empty_label="All", choices=lambda: [(each, each) for each in sources()]),
        "created_at": filters.date_range("Created"),
    }
    csv = {
        "Email": "email",
        "First name": "first_name",
        "Last name": "last_name",
        "Status": "status",
        "Tags": lambda found: ", ".join(found.tags),
        "Source": "source",
        "Confirmed": "confirmed_at",
        "Unsubscribed": "unsubscribed_at",
        "Created": "created_at",
    }
    form = SubscriberForm
    panels = (
        MultiFieldPanel(
            [
                FieldPanel("email", help_text="They will get emails from now on. Add only people who agreed to that."),
                FieldRowPanel([FieldPanel("first_name"), FieldPanel("last_name")]),
            ],
            heading="Person",
            icon="user",
        ),
        MultiFieldPanel(
            [FieldPanel("tags_editor"), FieldPanel("source", help_text=f"Where they subscribed. Defaults to “{SOURCE}”.")],
            heading="Tags and source",
            icon="tag",
        ),
    )
    transitions = (
        activation(
            "resubscribe",
            "Resubscribe",
            Status.UNSUBSCRIBED,
            "Subscribe this person again? Do this only if they asked for it. Sequences that were stopped stay stopped.",
        ),
        activation(
            "activate",
            "Activate",
            Status.PENDING,
            "Subscribe this person without their confirmation? Do this only if they asked for it.",
        ),
        Transition(
            "unsubscribe",
            "Unsubscribe",
            calling(unsubscribe, "subscriber"),
            "{record.email} is unsubscribed.",
            offered=lambda found: found.status != Status.UNSUBSCRIBED,
            serious=True,
            confirm="Unsubscribe this person? They get no more emails, and their sequences stop. Integrations are notified.",
        ),
    )
    bulk_actions, bulk_action_class = BULK_ACTIONS, SubscriberAction

    def create(self, values: dict[str, Any], user: Any) -> Subscriber:
        made = upsert_subscriber(values=values, source=SOURCE)
        if not made.created:
            raise Invalid({"email": "There is a subscriber with this address already."})
        log(instance=made.subscriber, action="wagtail.create", user=user)
        return made.subscriber

    def update(self, record: Subscriber, values: dict[str, Any], user: Any) -> Subscriber:
        return update_subscriber(subscriber=record, values=values, user=user)

    def delete(self, record: Subscriber, user: Any) -> None:
        delete_subscriber(subscriber=record, user=user)

    def list_buttons(self, user: Any) -> list[BaseButton]:
        url = import_url("subscribers", user)
        return [HeaderButton("Import", url=url, icon_name="upload", priority=50)] if url else []

    def list_context(self, records: QuerySet[Subscriber], request: HttpRequest) -> dict[str, Any]:
        """Return the chart of the listed subscribers (two statements)."""
        days = last_days(CHARTED_DAYS)
        columns = {"new": "confirmed_at", "unsubscribed": "unsubscribed_at"}
        series = [Series(label, daily(records, column, days)) for label, column in columns.items()]
        return {"chart": Chart("subscribers", f"Subscribers in the last {CHARTED_DAYS} days", days, series)}

    def facts(self, record: Subscriber) -> dict[str, Any]:
        return {
            "Email": record.email,
            "Name": record.name,
            "Status": record.get_status_display(),
            "Tags": ", ".join(record.tags),
            "Source": record.source,
            "Created": record.created_at,
            "Confirmed": record.confirmed_at,
            "Unsubscribed": record.unsubscribed_at,
        }

    def inspect_context(self, record: Subscriber, request: HttpRequest) -> dict[str, Any]:
        mails = mails_to(record.email)[:SHOWN_ROWS] if may_read_log(request.user) else None
        return {"enrolments": enrolments_of(record), "mails": mails}

    def get_extra_urlpatterns(self) -> list[URLPattern]:
        def enrolments() -> QuerySet[Enrolment]:
            return Enrolment.objects.select_related("sequence", "subscriber")

        def home(enrolment: Enrolment) -> str:
            return self.url(enrolment.subscriber)

        policy = policy_registry.get_by_type(Sequence)
        return [self.part_pattern("enrolments/<id:pk>/stop/", STOP, parts=enrolments, home=home, policy=policy)]
