"""Rules of assignment in the admin: in which order they are asked, whom they are for, and whose turn it is."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.urls import URLPattern, path
from django.utils.functional import cached_property
from wagtail.actions.create import CreateAction
from wagtail.actions.delete import DeleteAction
from wagtail.actions.edit import EditAction
from wagtail.actions.registry import action_registry
from wagtail.admin.forms.models import WagtailAdminModelForm
from wagtail.admin.panels import FieldPanel, HelpPanel, MultiFieldPanel, ObjectList, Panel
from wagtail.admin.ui.menus import MenuItem
from wagtail.admin.ui.tables import Column, StatusTagColumn, TitleColumn
from wagtail.admin.views import generic
from wagtail.admin.viewsets.model import ModelViewSet

from cms_api.adminkit.admin import RefusingMixin
from cms_api.core.errors import Invalid

from .. import selectors
from ..models import AssignmentRule
from ..services.rules import MAX_NAME, MAX_POSITION, delete_rule, save_rule
from .forms import people
from .listing import called
from .widgets import LinesField

ANY = "Any"
NAMES = {"countries": "country_list", "sources": "source_list", "assignees": "team"}


class RuleForm(WagtailAdminModelForm):
    name = forms.CharField(max_length=MAX_NAME)
    position = forms.IntegerField(
        min_value=0, max_value=MAX_POSITION, help_text="Lower numbers are asked first; the first rule that fits decides."
    )
    country_list = LinesField(
        required=False, label="Countries", help_text="One a line, as contacts have them. Any where it is empty."
    )
    source_list = LinesField(
        required=False, label="Sources", help_text="One a line, such as form, api, import or admin. Any where it is empty."
    )
    team = forms.MultipleChoiceField(
        label="Assignees",
        widget=forms.CheckboxSelectMultiple,
        help_text="They take turns. All who may change contacts stand here.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        held = self.instance
        self.initial["country_list"], self.initial["source_list"] = held.countries, held.sources
        team = [str(user.pk) for user in held.assignees.all()] if held.pk else []
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

    def _post_clean(self) -> None:
        """The service checks what was sent; the instance is its own to change."""

    def refuse(self, refusal: Invalid) -> None:
        for path_, sentences in refusal.errors.items():
            name = NAMES.get(path_, path_)
            self.add_error(name if name in self.fields else None, sentences)

    class Meta(WagtailAdminModelForm.Meta):
        model = AssignmentRule
        fields = ("name", "position", "enabled")


def panel() -> Panel:
    panels = [
        MultiFieldPanel([FieldPanel("name"), FieldPanel("position"), FieldPanel("enabled")], heading="Rule", icon="list-ol"),
        MultiFieldPanel(
            [
                HelpPanel("<p>New contacts that fit both lists are given to the people below.</p>"),
                FieldPanel("country_list"),
                FieldPanel("source_list"),
            ],
            heading="Whom it is for",
            icon="crosshairs",
        ),
        MultiFieldPanel([FieldPanel("team")], heading="Who looks after them", icon="group"),
    ]
    return ObjectList(panels, base_form_class=RuleForm).bind_to_model(AssignmentRule)


class CreateRule(CreateAction):
    def _create(self, skip_permission_checks: bool = False) -> AssignmentRule:
        self.instance = self.form.instance = save_rule(values=self.form.values(), user=self.user)
        return self.instance


class EditRule(EditAction):
    def _edit(self, skip_permission_checks: bool = False) -> AssignmentRule:
        self.instance = self.form.instance = save_rule(rule=self.instance, values=self.form.values(), user=self.user)
        return self.instance


class DeleteRule(DeleteAction):
    def _delete(self) -> Any:
        delete_rule(rule=self.instance, user=self.user)


for _action in (CreateRule, EditRule, DeleteRule):
    action_registry.register(AssignmentRule, _action)


class RuleCreateView(RefusingMixin, generic.CreateView):
    pass


class RuleEditView(RefusingMixin, generic.EditView):
    pass


class RuleDeleteView(generic.DeleteView):
    confirmation_message = "Are you sure you want to delete this rule? Contacts keep whoever looks after them."


class RuleIndexView(generic.IndexView):
    template_name = "crm_admin/index.html"
    results_template_name = "crm_admin/listing_results.html"
    is_searchable = False
    page_title = "Assignment rules"
    default_ordering = ("position", "id")

    @cached_property
    def turns(self) -> dict[int, Any]:
        return selectors.next_turns(self.object_list)

    @cached_property
    def columns(self) -> list[Any]:
        title = self._get_title_column_class(TitleColumn)
        return [
            Column("position", label="Position"),
            title("name", label="Name", get_url=lambda rule: self.get_edit_url(rule) or ""),
            StatusTagColumn(
                "enabled",
                label="State",
                accessor=lambda rule: "Enabled" if rule.enabled else "Disabled",
                primary=lambda rule: rule.enabled,
            ),
            Column("countries", label="Countries", accessor=lambda rule: ", ".join(rule.countries) or ANY),
            Column("sources", label="Sources", accessor=lambda rule: ", ".join(rule.sources) or ANY),
            Column("team", label="Assignees", accessor=lambda rule: ", ".join(map(called, rule.assignees.all()))),
            Column("turn", label="Next turn", accessor=lambda rule: called(self.turns.get(rule.pk)) or "Nobody"),
        ]

    def get_base_queryset(self) -> QuerySet[AssignmentRule]:
        return AssignmentRule.objects.prefetch_related("assignees")

    def get_list_more_buttons(self, instance: AssignmentRule) -> list[MenuItem]:
        found = []
        if edit_url := self.get_edit_url(instance):
            found.append(MenuItem("Edit", url=edit_url, icon_name="edit", priority=10))
        if delete_url := self.get_delete_url(instance):
            found.append(MenuItem("Delete", url=delete_url, icon_name="bin", priority=30))
        return found


class RuleViewSet(ModelViewSet):
    model = AssignmentRule
    icon = "list-ol"
    menu_label = "Assignment rules"
    menu_order = 30
    name = "crm_rules"
    url_prefix = "crm/rules"
    url_namespace = "crm_rules"
    add_to_reference_index = False
    copy_view_enabled = False
    inspect_view_enabled = False
    list_per_page = 100
    index_view_class = RuleIndexView
    add_view_class = RuleCreateView
    edit_view_class = RuleEditView
    delete_view_class = RuleDeleteView

    def get_edit_handler(self) -> Panel:
        return panel()

    def get_common_view_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_common_view_kwargs(**kwargs) | {"usage_url_name": None}

    def get_urlpatterns(self) -> list[URLPattern]:
        return [
            path("", self.index_view, name="index"),
            path("results/", self.index_results_view, name="index_results"),
            path("new/", self.add_view, name="add"),
            path("edit/<int:pk>/", self.edit_view, name="edit"),
            path("delete/<int:pk>/", self.delete_view, name="delete"),
            path("history/<int:pk>/", self.history_view, name="history"),
            path("history-results/<int:pk>/", self.history_results_view, name="history_results"),
        ]
