"""Mailing lists in the admin: what visitors choose from, and how many are on each."""

from typing import Any

from django import forms
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from wagtail.admin.forms.models import WagtailAdminModelForm
from wagtail.admin.panels import FieldPanel, FieldRowPanel, MultiFieldPanel, ObjectList, Panel
from wagtail.admin.ui.tables import BooleanColumn, Column
from wagtail.admin.utils import set_query_params
from wagtail.admin.views import generic
from wagtail.admin.viewsets.model import ModelViewSet
from wagtail.admin.widgets import SlugInput

from ..models import MailingList
from ..selectors import with_sizes
from ..types import Status


class MailingListForm(WagtailAdminModelForm):
    def clean_tag(self) -> str:
        """Two lists whose tags are the same but for their case would have the same people."""
        tag = " ".join(self.cleaned_data["tag"].split())
        if "," in tag:
            raise forms.ValidationError("A tag must not hold a comma.")
        if MailingList.objects.filter(tag__iexact=tag).exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError("There is a list with this tag already.")
        return tag


class SizeColumn(Column):
    """How many active people are on a list, as a link to them."""

    def get_value(self, instance: Any) -> SafeString:
        url = set_query_params(reverse("subscribers:index"), {"tag": instance.tag, "status": Status.ACTIVE.value})
        return format_html('<a href="{}">{}</a>', url, instance.size)


class MailingListIndexView(generic.IndexView):
    default_ordering = ("position", "name", "id")
    is_searchable = True
    list_display = [
        "name",
        Column("tag", label="Tag", sort_key="tag"),
        SizeColumn("size", label="Active subscribers", sort_key="size"),
        BooleanColumn("is_public", label="Visitors may choose it", sort_key="is_public"),
        Column("position", label="Position", sort_key="position"),
    ]

    def get_base_queryset(self) -> QuerySet[MailingList]:
        return with_sizes(MailingList.objects.all())

    def search_queryset(self, queryset: QuerySet[MailingList]) -> QuerySet[MailingList]:
        words = self.search_query
        return queryset.filter(Q(name__icontains=words) | Q(tag__icontains=words)) if words else queryset


class MailingListDeleteView(generic.DeleteView):
    @property
    def confirmation_message(self) -> str:
        return "Delete this list? Its people keep the tag, and stay subscribed; visitors can choose the list no more."


class MailingListViewSet(ModelViewSet):
    model = MailingList
    icon = "list-ul"
    menu_label = "Mailing lists"
    menu_order = 20
    name = "mailing_lists"
    url_prefix = "marketing/lists"
    url_namespace = "mailing_lists"
    add_to_reference_index = False
    copy_view_enabled = False
    search_fields = ["name", "tag"]
    index_view_class = MailingListIndexView
    delete_view_class = MailingListDeleteView

    def get_edit_handler(self) -> Panel:
        panels = [
            MultiFieldPanel(
                [FieldPanel("name"), FieldPanel("slug", widget=SlugInput), FieldPanel("description")],
                heading="List",
                icon="list-ul",
            ),
            MultiFieldPanel([FieldPanel("tag")], heading="Who is on it", icon="tag"),
            MultiFieldPanel(
                [FieldRowPanel([FieldPanel("is_public"), FieldPanel("position")])], heading="On the site", icon="site"
            ),
        ]
        return ObjectList(panels, base_form_class=MailingListForm).bind_to_model(MailingList)

    def get_common_view_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_common_view_kwargs(**kwargs) | {"usage_url_name": None}
