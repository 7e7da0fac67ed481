"""Mailing lists in the admin, with their subscriber counts."""

from django.db.models import QuerySet
from django.urls import reverse
from wagtail.admin.panels import FieldPanel, FieldRowPanel, MultiFieldPanel
from wagtail.admin.ui.tables import BooleanColumn, Column
from wagtail.admin.utils import set_query_params

from cms_api.adminkit.columns import CountColumn, RecordColumn
from cms_api.adminkit.panels import NamePanel
from cms_api.adminkit.viewset import RecordViewSet, by_services
from cms_api.adminkit.widgets import AsciiSlugInput

from ..models import MailingList
from ..selectors import with_sizes
from ..services.lists import save_list
from ..types import Status


def subscribers_url(mailing_list: MailingList) -> str:
    return set_query_params(reverse("subscribers:index"), {"tag": mailing_list.tag, "status": Status.ACTIVE.value})


class MailingListViewSet(RecordViewSet):
    model = MailingList
    icon = "list-ul"
    menu_label = "Mailing lists"
    menu_order = 20
    name = "mailing_lists"
    url_prefix = "marketing/lists"
    ordering = ("position", "name", "id")
    search_fields = ["name", "tag"]
    delete_consequence = "Its subscribers keep the tag and stay subscribed. Visitors can no longer choose the list."
    list_display = (
        RecordColumn("name", label="Name", sort_key="name"),
        Column("tag", label="Tag", sort_key="tag"),
        CountColumn("size", label="Active subscribers", url=subscribers_url),
        BooleanColumn("is_public", label="Visitors may choose it", sort_key="is_public"),
        Column("position", label="Position", sort_key="position"),
    )
    panels = (
        MultiFieldPanel(
            [NamePanel("name"), FieldPanel("slug", widget=AsciiSlugInput), FieldPanel("description")],
            heading="List",
            icon="list-ul",
        ),
        MultiFieldPanel([FieldPanel("tag")], heading="Subscribers", icon="tag"),
        MultiFieldPanel([FieldRowPanel([FieldPanel("is_public"), FieldPanel("position")])], heading="On the site", icon="site"),
    )
    create, update, delete = by_services(save_list, "mailing_list")

    def records(self) -> QuerySet[MailingList]:
        return with_sizes(MailingList.objects.all())
