"""Categories, canned answers, assignment rules and special days in the admin."""

from typing import Any

from django import forms
from django.db.models import Count, Q, QuerySet
from django.urls import URLPattern, path, reverse
from wagtail.admin.panels import FieldPanel, HelpPanel, MultiFieldPanel
from wagtail.admin.ui.tables import Column
from wagtail.admin.utils import set_query_params
from wagtail.admin.widgets import AdminAutoHeightTextInput
from wagtail.admin.widgets.button import BaseButton, HeaderButton

from cms_api.adminkit.columns import CountColumn, MomentColumn, RecordColumn, SwitchColumn, person
from cms_api.adminkit.fields import LinesField, SlugField
from cms_api.adminkit.forms import RecordForm, SiteDateField
from cms_api.adminkit.panels import NamePanel
from cms_api.adminkit.viewset import RecordViewSet, by_services
from cms_api.flags.selectors import site_formats
from commerce.common.admin.hours import PeriodsField, period_words
from commerce.common.types import MAX_SLUG

from ..models import AssignmentRule, CannedAnswer, Category, SpecialDay
from ..services.setup import (
    MAX_POSITION,
    save_canned_answer,
    save_category,
    save_rule,
    save_special_day,
)
from ..types.tickets import MAX_BODY, MAX_TITLE, MAX_WORDS, PLACEHOLDERS, Priority
from .hours import HoursView
from .words import agent_choices

ANY = "Any"


class CategoryForm(RecordForm):
    slug = SlugField(
        max_length=MAX_SLUG, help_text="For links to the form, and for integrations. Leave empty to derive it from the name."
    )
    position = forms.IntegerField(
        min_value=0, max_value=MAX_POSITION, initial=0, help_text="Categories with lower numbers come first."
    )


def tickets_url(category: Category) -> str:
    return set_query_params(reverse("support_tickets:index"), {"category": category.pk})


class CategoryViewSet(RecordViewSet):
    model = Category
    icon = "folder-open-inverse"
    menu_label = "Categories"
    menu_order = 30
    name = "support_categories"
    url_prefix = "support/categories"
    ordering = ("position", "name", "id")
    list_display = (
        RecordColumn("name", label="Name", sort_key="name"),
        Column("description", label="Description"),
        SwitchColumn("is_public", on="Offered", off="Staff only"),
        CountColumn("ticket_count", label="Tickets", url=tickets_url, empty="None"),
        Column("position", label="Position", sort_key="position"),
    )
    search_fields = ("name",)
    form = CategoryForm
    panels = (
        NamePanel("name"),
        FieldPanel("slug"),
        FieldPanel("description"),
        FieldPanel("is_public", help_text="People can choose it in the form. Staff always can."),
        FieldPanel("position"),
    )
    delete_consequence = (
        "Its tickets stay, without a category. Rules that name it match any category then, if it was their only one."
    )
    create, update, delete = by_services(save_category, "category")

    def records(self) -> QuerySet[Category]:
        return Category.objects.annotate(ticket_count=Count("tickets", filter=Q(tickets__is_spam=False)))


class CannedAnswerForm(RecordForm):
    title = forms.CharField(max_length=MAX_TITLE, help_text="Only staff see it.")
    body = forms.CharField(max_length=MAX_BODY, label="Text", widget=AdminAutoHeightTextInput(attrs={"rows": 8}))
    category = forms.ModelChoiceField(
        queryset=Category.objects.all(),
        required=False,
        empty_label="None",
        help_text="Offered first in tickets of this category.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        answer: Any = self.instance
        self.initial |= {"title": answer.title, "body": answer.body, "category": answer.category_id}
        names = ", ".join(f"{{{{ {name} }}}} ({text[0].lower()}{text[1:]})" for name, text in PLACEHOLDERS.items())
        self.fields["body"].help_text = f"Placeholders: {names}."


class CannedAnswerViewSet(RecordViewSet):
    model = CannedAnswer
    icon = "comment"
    menu_label = "Canned answers"
    menu_order = 40
    name = "support_canned_answers"
    url_prefix = "support/canned-answers"
    pages = ("add", "copy", "edit", "delete", "history")
    ordering = ("title", "id")
    list_display = (
        RecordColumn("title", label="Title", sort_key="title"),
        Column("category", label="Category", accessor=lambda answer: answer.category or ""),
        MomentColumn("updated_at", label="Updated"),
    )
    search_fields = ("title", "body")
    form = CannedAnswerForm
    panels = (FieldPanel("title"), FieldPanel("body"), FieldPanel("category"))
    create, update, delete = by_services(save_canned_answer, "answer")

    def records(self) -> QuerySet[CannedAnswer]:
        return CannedAnswer.objects.select_related("category")

    def copy_record(self, record: CannedAnswer) -> CannedAnswer:
        return CannedAnswer(title=f"{record.title} (copy)"[:MAX_TITLE], body=record.body, category=record.category)


class RuleForm(RecordForm):
    refused_at = {"words": "word_list", "assignees": "team"}

    name = forms.CharField(max_length=MAX_TITLE)
    position = forms.IntegerField(
        min_value=0, max_value=MAX_POSITION, initial=0, help_text="Lower numbers come first; the first matching rule applies."
    )
    categories = forms.ModelMultipleChoiceField(
        queryset=Category.objects.all(), required=False, widget=forms.CheckboxSelectMultiple, help_text="Tick none for any."
    )
    priorities = forms.MultipleChoiceField(
        choices=Priority.choices, required=False, widget=forms.CheckboxSelectMultiple, help_text="Tick none for any."
    )
    word_list = LinesField(
        required=False,
        label="Words",
        help_text=(
            f"Words or phrases, one per line, at most {MAX_WORDS}. One of them must be in the subject or the first message. "
            "Leave empty for any text."
        ),
    )
    team = forms.MultipleChoiceField(
        label="Assignees",
        widget=forms.CheckboxSelectMultiple,
        help_text="New tickets are assigned to them in turn. Everyone who can handle tickets is listed.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rule: Any = self.instance
        self.initial |= {"priorities": rule.priorities, "word_list": rule.words, "name": rule.name, "position": rule.position}
        self.initial["categories"] = rule.categories.all() if rule.pk else []
        self.initial["team"] = [str(user.pk) for user in rule.assignees.all()] if rule.pk else []
        team: Any = self.fields["team"]
        team.choices = agent_choices()[1:]

    def values(self) -> dict[str, Any]:
        values = super().values()
        return {**values, "words": values.pop("word_list"), "assignees": [int(pk) for pk in values.pop("team")]}

    class Meta(RecordForm.Meta):
        model = AssignmentRule
        fields = ("enabled",)


class RuleViewSet(RecordViewSet):
    model = AssignmentRule
    icon = "list-ol"
    menu_label = "Assignment rules"
    menu_order = 50
    name = "support_rules"
    url_prefix = "support/rules"
    list_per_page = 100
    ordering = ("position", "id")
    delete_consequence = "Tickets keep their assignees."
    list_display = (
        Column("position", label="Position"),
        RecordColumn("name", label="Name"),
        SwitchColumn("enabled"),
        Column("categories", label="Categories", accessor=lambda rule: ", ".join(map(str, rule.categories.all())) or ANY),
        Column(
            "priorities",
            label="Priorities",
            accessor=lambda rule: ", ".join(Priority(each).label for each in rule.priorities) or ANY,
        ),
        Column("words", label="Words", accessor=lambda rule: ", ".join(rule.words) or ANY),
        Column("team", label="Assignees", accessor=lambda rule: ", ".join(map(person, rule.assignees.all()))),
    )
    form = RuleForm
    panels = (
        MultiFieldPanel([FieldPanel("name"), FieldPanel("position"), FieldPanel("enabled")], heading="Rule", icon="list-ol"),
        MultiFieldPanel(
            [
                HelpPanel("<p>New tickets that match all of these are assigned to the people below.</p>"),
                FieldPanel("categories"),
                FieldPanel("priorities"),
                FieldPanel("word_list"),
            ],
            heading="Conditions",
            icon="crosshairs",
        ),
        MultiFieldPanel([FieldPanel("team")], heading="Assignees", icon="group"),
    )
    create, update, delete = by_services(save_rule, "rule")

    def records(self) -> QuerySet[AssignmentRule]:
        return AssignmentRule.objects.prefetch_related("categories", "assignees")


class SpecialDayForm(RecordForm):
    date = SiteDateField()
    note = forms.CharField(required=False, max_length=MAX_TITLE, help_text="For example Company outing.")
    periods = PeriodsField(help_text="For example 09:00-12:00, 13:00-15:00. Leave empty for a day off.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        special: Any = self.instance
        self.initial |= {"date": special.date, "note": special.note, "periods": special.periods}


class SpecialDayViewSet(RecordViewSet):
    model = SpecialDay
    icon = "date"
    menu_label = "Special days"
    menu_order = 70
    name = "support_special_days"
    url_prefix = "support/special-days"
    ordering = ("-date", "-id")
    list_display = (
        RecordColumn("date", label="Date", accessor=lambda each: site_formats().date(each.date), sort_key="date"),
        Column("periods", label="Hours", accessor=lambda each: period_words(each.periods) or "Day off"),
        Column("note", label="Note"),
    )
    form = SpecialDayForm
    panels = (FieldPanel("date"), FieldPanel("periods"), FieldPanel("note"))
    delete_consequence = "The date then has the hours of its weekday."
    create, update, delete = by_services(save_special_day, "special")

    def list_buttons(self, user: Any) -> list[BaseButton]:
        return [HeaderButton("Weekly hours", url=reverse(self.get_url_name("hours")), icon_name="time")]

    def get_extra_urlpatterns(self) -> list[URLPattern]:
        return [path("hours/", self.construct_view(HoursView), name="hours")]
