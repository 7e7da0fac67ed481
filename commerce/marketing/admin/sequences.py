"""Sequences in the admin: put together of steps, started, paused, and looked at with who is in them."""

from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import URLPattern, path, reverse
from django.utils.functional import cached_property
from wagtail.actions.create import CreateAction
from wagtail.actions.delete import DeleteAction
from wagtail.actions.edit import EditAction
from wagtail.actions.registry import action_registry
from wagtail.admin import messages
from wagtail.admin.forms.models import WagtailAdminModelForm
from wagtail.admin.panels import FieldPanel, FieldRowPanel, HelpPanel, InlinePanel, MultiFieldPanel, ObjectList, Panel
from wagtail.admin.ui.menus import MenuItem
from wagtail.admin.ui.tables import Column, StatusTagColumn, TitleColumn
from wagtail.admin.views import generic
from wagtail.admin.viewsets.model import ModelViewSet
from wagtail.admin.widgets import SlugInput
from wagtail.admin.widgets.button import Button, HeaderButton

from cms_api.adminkit.admin import RecordAction, RefusingMixin
from cms_api.core.errors import Invalid

from ..models import Sequence
from ..selectors import latest_enrolments, waiting_for, with_counts
from ..services.sequences import delete_sequence, save_sequence, switch_sequence
from ..services.wording import PLACEHOLDERS
from ..types import MAX_STEPS
from .steps import PreviewView, SendTestView

STEP_FIELDS = ("delay", "unit", "subject", "body")


class SequenceForm(WagtailAdminModelForm):
    """A sequence as it is put together. Its rules are the service's."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            # Wagtail would render an input that no panel has.
            self.fields.pop("slug", None)
        elif "slug" in self.fields:
            self.fields["slug"].required = False

    def _step_forms(self) -> list[Any]:
        """The forms of the steps that stay, in their order."""
        return list(self.formsets["steps"].ordered_forms)

    def values(self) -> dict[str, Any]:
        steps = [
            {**{name: form.cleaned_data[name] for name in STEP_FIELDS}, "id": form.instance.pk} for form in self._step_forms()
        ]
        return {**{name: self.cleaned_data[name] for name in ("name", "trigger", "tag")}, "steps": steps}

    def _post_clean(self) -> None:
        """The service checks what was sent; the instance is its own to change."""

    def refuse(self, refusal: Invalid) -> None:
        # Django tells the order of valid forms alone, and the first sentence makes one invalid.
        steps = self._step_forms()
        for place, sentences in refusal.errors.items():
            first, _, rest = place.partition(".")
            number, _, name = rest.partition(".")
            if first == "steps" and number.isdecimal():
                steps[int(number)].add_error(name, sentences)
            elif first == "steps":
                self.formsets["steps"].non_form_errors().extend(sentences)
            else:
                self.add_error(place if place in self.fields else None, sentences)

    class Media:
        css = {"all": ["marketing/admin.css"]}


def _placeholder_help() -> str:
    rows = "".join(f"<dt><code>{{{{ {name} }}}}</code></dt><dd>{about}</dd>" for name, about in PLACEHOLDERS.items())
    return f'<p>In the subject and the text of a step may stand:</p><dl class="marketing__facts">{rows}</dl>'


def _panel(*, new: bool) -> Panel:
    slug_help = "What other parts of the site call it by; made from the name where it is empty. It cannot be changed later."
    slug = [FieldPanel("slug", widget=SlugInput, help_text=slug_help)] if new else []
    step = [
        FieldRowPanel([FieldPanel("delay"), FieldPanel("unit")], classname="marketing__wait"),
        FieldPanel("subject"),
        FieldPanel("body"),
    ]
    panels = [
        MultiFieldPanel([FieldPanel("name"), *slug], heading="Sequence", icon="history"),
        MultiFieldPanel(
            [FieldPanel("trigger"), FieldPanel("tag", help_text="Only for a sequence that begins by a tag.")],
            heading="Begins",
            icon="group",
        ),
        HelpPanel(_placeholder_help(), heading="Placeholders"),
        InlinePanel(
            "steps",
            panels=step,
            heading="Steps",
            label="Step",
            help_text="Each waits after the step before; the first, after enrolment.",
            min_num=1,
            max_num=MAX_STEPS,
        ),
    ]
    return ObjectList(panels, base_form_class=SequenceForm).bind_to_model(Sequence)


class CreateSequence(CreateAction):
    def _create(self, skip_permission_checks: bool = False) -> Sequence:
        self.instance = save_sequence(slug=self.form.cleaned_data["slug"], values=self.form.values(), user=self.user)
        self.form.instance = self.instance
        return self.instance


class EditSequence(EditAction):
    def _edit(self, skip_permission_checks: bool = False) -> Sequence:
        self.instance = save_sequence(sequence=self.instance, values=self.form.values(), user=self.user)
        self.form.instance = self.instance
        return self.instance


class DeleteSequence(DeleteAction):
    def _delete(self) -> Any:
        delete_sequence(sequence=self.instance, user=self.user)


for _action in (CreateSequence, EditSequence, DeleteSequence):
    action_registry.register(Sequence, _action)


def inspect_url(sequence: Sequence) -> str:
    return reverse("sequences:inspect", args=[sequence.pk])


class SequenceCreateView(RefusingMixin, generic.CreateView):
    def get_success_url(self) -> str:
        return inspect_url(self.object)


class SequenceEditView(RefusingMixin, generic.EditView):
    def get_success_url(self) -> str:
        return inspect_url(self.object)


class SequenceDeleteView(generic.DeleteView):
    @property
    def confirmation_message(self) -> str:
        return "Delete this sequence with its steps? Whoever is in it gets no more of it. What was sent stays in the log of mail."


class SequenceIndexView(generic.IndexView):
    default_ordering = ("name", "id")
    is_searchable = True
    list_display = [
        "name",
        Column("trigger", label="Begins", accessor=lambda found: beginning(found)),
        Column("step_count", label="Steps", sort_key="step_count"),
        Column("active_count", label="Active", sort_key="active_count"),
        Column("finished_count", label="Finished", sort_key="finished_count"),
        Column("stopped_count", label="Stopped", sort_key="stopped_count"),
        StatusTagColumn(
            "enabled",
            label="State",
            accessor=lambda found: "Running" if found.enabled else "Paused",
            primary=lambda found: found.enabled,
            sort_key="enabled",
        ),
    ]

    @cached_property
    def columns(self) -> list[Any]:
        title = self._get_title_column_class(TitleColumn)
        return [title("name", label="Name", sort_key="name", get_url=self.get_inspect_url), *self.list_display[1:]]

    def get_base_queryset(self) -> QuerySet[Sequence]:
        return with_counts(Sequence.objects.all())

    def search_queryset(self, queryset: QuerySet[Sequence]) -> QuerySet[Sequence]:
        words = self.search_query
        return queryset.filter(Q(name__icontains=words) | Q(tag__icontains=words)) if words else queryset

    def get_list_more_buttons(self, instance: Sequence) -> list[MenuItem]:
        return [
            MenuItem("Inspect", url=self.get_inspect_url(instance), icon_name="info-circle", priority=10),
            *super().get_list_more_buttons(instance),
        ]


def beginning(sequence: Sequence) -> str:
    """When people are enrolled, in a few words."""
    said = {"manual": "By hand", "subscribed": "When somebody subscribes", "tagged": f"With the tag “{sequence.tag}”"}
    return said[sequence.trigger]


class SequenceInspectView(generic.InspectView):
    """A sequence with its steps, and with those who were enrolled last."""

    template_name = "marketing_admin/sequence.html"
    page_title = "Sequence"
    object: Sequence

    def get_page_subtitle(self) -> str:
        return self.object.name

    @cached_property
    def header_buttons(self) -> list[HeaderButton]:
        if not self.user_has_permission("change"):
            return []
        return [HeaderButton("Edit", url=reverse("sequences:edit", args=[self.object.pk]), icon_name="edit")]

    @cached_property
    def header_more_buttons(self) -> list[Button]:
        found = [Button("History", url=reverse("sequences:history", args=[self.object.pk]), icon_name="history", priority=10)]
        if delete_url := self.get_delete_url():
            found.append(Button("Delete", url=delete_url, icon_name="bin", priority=20))
        return found

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        waiting = waiting_for(self.object)
        return super().get_context_data(
            **kwargs,
            counted=with_counts(Sequence.objects.filter(pk=self.object.pk)).get(),
            begins=beginning(self.object),
            steps=[(step, waiting.get(step.pk, 0)) for step in self.object.steps.all()],
            enrolments=latest_enrolments(self.object),
            may_change=self.user_has_permission("change"),
        )


class SwitchView(RecordAction):
    """Starts a sequence, or pauses it."""

    model = Sequence
    enabled = True

    def act(self, request: HttpRequest, record: Sequence) -> None:
        if not switch_sequence(sequence=record, enabled=self.enabled, user=request.user):
            messages.warning(request, "Somebody else has done that meanwhile.")
        elif self.enabled:
            messages.success(request, f"“{record}” runs. Whoever is due gets a mail within a minute or two.")
        else:
            messages.success(request, f"“{record}” is paused: nobody is enrolled by themselves, and nothing is sent.")

    def home(self, record: Sequence) -> str:
        return inspect_url(record)


class SequenceViewSet(ModelViewSet):
    model = Sequence
    icon = "history"
    menu_label = "Sequences"
    menu_order = 30
    name = "sequences"
    url_prefix = "marketing/sequences"
    url_namespace = "sequences"
    add_to_reference_index = False
    copy_view_enabled = False
    inspect_view_enabled = True
    list_per_page = 50
    search_fields = ["name"]
    index_view_class = SequenceIndexView
    add_view_class = SequenceCreateView
    edit_view_class = SequenceEditView
    delete_view_class = SequenceDeleteView
    inspect_view_class = SequenceInspectView

    def get_edit_handler(self) -> Panel:
        return _panel(new=True)

    def get_common_view_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_common_view_kwargs(**kwargs) | {"usage_url_name": None}

    def get_edit_view_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        panel = _panel(new=False)
        return super().get_edit_view_kwargs(**{"panel": panel, "form_class": panel.get_form_class(), **kwargs})

    def get_urlpatterns(self) -> list[URLPattern]:
        return [
            *super().get_urlpatterns(),
            path("start/<int:pk>/", SwitchView.as_view(), name="start"),
            path("pause/<int:pk>/", SwitchView.as_view(enabled=False), name="pause"),
            path("steps/<int:pk>/", PreviewView.as_view(), name="preview"),
            path("steps/<int:pk>/test/", SendTestView.as_view(), name="test"),
        ]
