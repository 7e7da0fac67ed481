"""Assignment rules in the admin: order, conditions, and the next assignee."""

from typing import Any

from django import forms
from wagtail.admin.panels import FieldPanel, HelpPanel, MultiFieldPanel
from wagtail.admin.ui.tables import Column

from cms_api.adminkit.columns import BoundColumn, RecordColumn, SwitchColumn, person
from cms_api.adminkit.fields import LinesField
from cms_api.adminkit.forms import RecordForm
from cms_api.adminkit.viewset import RecordViewSet, by_services

from .. import selectors
from ..models import AssignmentRule
from ..services.rules import MAX_NAME, MAX_POSITION, save_rule
from .forms import people

ANY = "Any"


class RuleForm(RecordForm):
    refused_at = {"countries": "country_list", "sources": "source_list", "assignees": "team"}

    name = forms.CharField(max_length=MAX_NAME)
    position = forms.IntegerField(
        min_value=0, max_value=MAX_POSITION, help_text="Lower numbers come first; the first matching rule applies."
    )
    country_list = LinesField(
        separators=",",
        required=False,
        label="Countries",
        help_text="One per line, spelled as in the contacts. Leave empty for any.",
    )
    source_list = LinesField(
        separators=",",
        required=False,
        label="Sources",
        help_text="One per line, for example form, api, import or admin. Leave empty for any.",
    )
    team = forms.MultipleChoiceField(
        label="Assignees",
        widget=forms.CheckboxSelectMultiple,
        help_text="New contacts are assigned to them in turn. Everyone who can edit contacts is listed.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rule = self.instance
        self.initial["country_list"], self.initial["source_list"] = rule.countries, rule.sources
        team = [str(user.pk) for user in rule.assignees.all()] if rule.pk else []
        self.fields["team"].choices = people()[1:]
        self.initial["team"] = team

    def values(self) -> dict[str, Any]:
        given = self.cleaned_data
        return {
            "name": given["name"],
            "position": given["position"],
            "enabled": given["enabled"],
            "countries": given["country_list"],
            "sources": given["source_list"],
            "assignees": [int(pk) for pk in given["team"]],
        }

    class Meta(RecordForm.Meta):
        model = AssignmentRule
        fields = ("name", "position", "enabled")


class NextColumn(BoundColumn, Column):
    """The rule's next assignee; loaded for all rows of the page at once."""

    next_assignees: dict[int, Any] | None = None

    def get_value(self, instance: AssignmentRule) -> str:
        if self.next_assignees is None:
            self.next_assignees = selectors.next_assignees(self.view.object_list)
        return person(self.next_assignees.get(instance.pk)) or "Nobody"


class RuleViewSet(RecordViewSet):
    model = AssignmentRule
    icon = "list-ol"
    menu_label = "Assignment rules"
    name = "crm_rules"
    url_prefix = "crm/rules"
    list_per_page = 100
    ordering = ("position", "id")
    delete_consequence = "Contacts keep their owners."
    list_display = (
        Column("position", label="Position"),
        RecordColumn("name", label="Name"),
        SwitchColumn("enabled"),
        Column("countries", label="Countries", accessor=lambda rule: ", ".join(rule.countries) or ANY),
        Column("sources", label="Sources", accessor=lambda rule: ", ".join(rule.sources) or ANY),
        Column("team", label="Assignees", accessor=lambda rule: ", ".join(map(person, rule.assignees.all()))),
        NextColumn("next", label="Next assignee"),
    )
    form = RuleForm
    panels = (
        MultiFieldPanel([FieldPanel("name"), FieldPanel("position"), FieldPanel("enabled")], heading="Rule", icon="list-ol"),
        MultiFieldPanel(
            [
                HelpPanel("<p>New contacts that match both lists are assigned to the people below.</p>"),
                FieldPanel("country_list"),
                FieldPanel("source_list"),
            ],
            heading="Conditions",
            icon="crosshairs",
        ),
        MultiFieldPanel([FieldPanel("team")], heading="Assignees", icon="group"),
    )
    create, update, delete = by_services(save_rule, "rule")

    def records(self) -> Any:
        return AssignmentRule.objects.prefetch_related("assignees")
