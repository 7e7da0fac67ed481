"""Vocabularies in the admin: the terms of each taxonomy field."""

from typing import Any

import django_filters
from django import forms
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.generic import TemplateView
from wagtail.actions.create import CreateAction
from wagtail.actions.delete import DeleteAction
from wagtail.actions.edit import EditAction
from wagtail.actions.registry import action_registry
from wagtail.admin.filters import WagtailFilterSet
from wagtail.admin.forms.models import WagtailAdminModelForm
from wagtail.admin.panels import FieldPanel, ObjectList
from wagtail.admin.ui.tables import Column
from wagtail.admin.utils import set_query_params
from wagtail.admin.views import generic
from wagtail.admin.views.generic import history, usage
from wagtail.admin.views.generic.base import WagtailAdminTemplateMixin
from wagtail.admin.viewsets.model import ModelViewSet
from wagtail.log_actions import log

from cms_api.adminkit.views import Saving
from cms_api.fields import Field

from ..models import ContentType, Term
from ..selectors import find_type, type_by_id, visible_types, vocabulary
from ..services.types import delete_term, save_term
from .inputs.choices import in_tree

Vocabulary = tuple[ContentType, Field]


def vocabularies() -> dict[str, Vocabulary]:
    """Return every taxonomy field of the visible types, by `type.key`."""
    types = sorted(visible_types().values(), key=lambda found: found.name.lower())
    return {f"{found.slug}.{field.key}": (found, field) for found in types for field in found.taxonomies}


def vocabulary_label(item_type: ContentType, taxonomy: str) -> str:
    label = next((field.label for field in item_type.taxonomies if field.key == taxonomy), taxonomy)
    return f"{item_type.name}: {label}"


def visible_term_or_404(term: Term) -> Term:
    term.type = type_by_id(term.type_id)
    if find_type(term.type.slug) is None:
        raise Http404
    return term


class TermForm(WagtailAdminModelForm):
    slug = forms.CharField(
        required=False,
        max_length=100,
        help_text="Part of the address of the term's page; made from the name where it is empty.",
    )
    parent = forms.TypedChoiceField(
        required=False, coerce=int, empty_value=None, help_text="The term that this one stands below."
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        item_type, taxonomy = self.instance.type, self.instance.taxonomy
        field = next((field for field in item_type.taxonomies if field.key == taxonomy), None)
        if field is None or not field.hierarchical:
            del self.fields["parent"]
            return
        tree = in_tree(vocabulary(item_type.pk).get(taxonomy, []))
        others = [(term.pk, "\u2003" * depth + term.name) for term, depth in tree if term.pk != self.instance.pk]
        self.fields["parent"].choices = [("", "---------"), *others]

    def values(self) -> dict[str, Any]:
        sent = self.cleaned_data
        parent = Term.objects.filter(pk=sent.get("parent") or 0).first()
        return {"name": sent["name"], "slug": sent["slug"], "parent": parent, "position": sent["position"] or 0}

    def _post_clean(self) -> None:
        """Skip model validation, which the service does. The service also changes the instance."""

    def refuse(self, refusal: Any) -> None:
        for path, sentences in refusal.errors.items():
            self.add_error(path if path in self.fields else None, sentences)


PANEL = ObjectList(
    [FieldPanel("name"), FieldPanel("slug"), FieldPanel("parent"), FieldPanel("position", help_text="Lower numbers come first.")],
    base_form_class=TermForm,
)


def _save(action: Any, *, term: Term | None, name: str) -> Term:
    given = action.instance
    saved = save_term(item_type=given.type, taxonomy=given.taxonomy, term=term, **action.form.values())
    log(instance=saved, action=name, user=action.user)
    action.instance = action.form.instance = saved
    return saved


class CreateTerm(CreateAction):
    def _create(self, skip_permission_checks: bool = False) -> Term:
        return _save(self, term=None, name="wagtail.create")


class EditTerm(EditAction):
    def _edit(self, skip_permission_checks: bool = False) -> Term:
        return _save(self, term=Term.objects.get(pk=self.instance.pk), name="wagtail.edit")


class DeleteTerm(DeleteAction):
    @transaction.atomic
    def _delete(self) -> Any:
        log(instance=self.instance, action="wagtail.delete", user=self.user, deleted=True)
        delete_term(term=self.instance)


for _action in (CreateTerm, EditTerm, DeleteTerm):
    action_registry.register(Term, _action)


def list_url(term: Term) -> str:
    return set_query_params(reverse("content_terms:index"), {"vocabulary": f"{term.type.slug}.{term.taxonomy}"})


class VisibleTermMixin:
    def get_object(self, *args: Any, **kwargs: Any) -> Any:
        return visible_term_or_404(super().get_object(*args, **kwargs))  # type: ignore[misc]


class VocabularyPickerView(WagtailAdminTemplateMixin, TemplateView):
    template_name = "content_admin/choose_vocabulary.html"
    page_title = "New term"
    header_icon = "tag"

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        home = {"url": reverse("wagtailadmin_home"), "label": "Home"}
        return [home, {"url": reverse("content_terms:index"), "label": "Vocabularies"}, {"url": "", "label": self.page_title}]

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        add = reverse("content_terms:add")
        found = [
            (item_type, field, set_query_params(add, {"vocabulary": name})) for name, (item_type, field) in vocabularies().items()
        ]
        return {**super().get_context_data(**kwargs), "vocabularies": found}


class TermCreateView(Saving, generic.CreateView):
    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        name = request.GET.get("vocabulary", "")
        self.vocabulary = vocabularies().get(name) if name else None
        if name and self.vocabulary is None:
            raise Http404
        super().setup(request, *args, **kwargs)

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return super().get(request, *args, **kwargs) if self.vocabulary else VocabularyPickerView.as_view()(request)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return super().post(request, *args, **kwargs) if self.vocabulary else redirect(request.path)

    def get_initial_form_instance(self) -> Term:
        item_type, field = self.vocabulary
        return Term(type=item_type, taxonomy=field.key)

    def get_page_subtitle(self) -> str:
        return vocabulary_label(self.vocabulary[0], self.vocabulary[1].key) if self.vocabulary else ""

    def get_add_url(self) -> str:
        return self.request.get_full_path()

    def get_success_url(self) -> str:
        return list_url(self.object)


class TermEditView(Saving, VisibleTermMixin, generic.EditView):
    def get_success_url(self) -> str:
        return list_url(self.object)


class TermDeleteView(VisibleTermMixin, generic.DeleteView):
    def get_success_url(self) -> str:
        return list_url(self.object)


class TermHistoryView(VisibleTermMixin, history.HistoryView):
    pass


class TermUsageView(VisibleTermMixin, usage.UsageView):
    pass


class TermFilterSet(WagtailFilterSet):
    vocabulary = django_filters.ChoiceFilter(
        choices=lambda: [(name, vocabulary_label(found, field.key)) for name, (found, field) in vocabularies().items()],
        method="of_vocabulary",
        label="Vocabulary",
        widget=forms.RadioSelect,
        empty_label="All",
    )

    def of_vocabulary(self, queryset: Any, name: str, value: str) -> Any:
        item_type, field = vocabularies()[value]
        return queryset.filter(type=item_type, taxonomy=field.key)

    class Meta:
        model = Term
        fields: list[str] = []


class TermIndexView(generic.IndexView):
    filterset_class = TermFilterSet
    is_searchable = True
    page_title = "Vocabularies"
    default_ordering = ("type__name", "taxonomy", "position", "name", "id")
    list_display = [
        "name",
        "slug",
        Column("vocabulary", label="Vocabulary", accessor=lambda term: vocabulary_label(type_by_id(term.type_id), term.taxonomy)),
        Column("parent", label="Below", accessor=lambda term: term.parent or ""),
        "position",
    ]

    def get_base_queryset(self) -> Any:
        types = [found.pk for found in visible_types().values()]
        return Term.objects.filter(type__in=types).select_related("parent")

    def search_queryset(self, queryset: Any) -> Any:
        return queryset.filter(name__icontains=self.search_query) if self.is_searching else queryset

    def get_add_url(self) -> str | None:
        url = super().get_add_url()
        chosen = self.request.GET.get("vocabulary", "")
        return set_query_params(url, {"vocabulary": chosen}) if url and chosen in vocabularies() else url


class TermViewSet(ModelViewSet):
    model = Term
    icon = "tag"
    name = "content_terms"
    url_prefix = "content/vocabularies"
    url_namespace = "content_terms"
    # The entry is in `menu`.
    menu_label = ""
    copy_view_enabled = False
    search_fields = ["name"]
    index_view_class = TermIndexView
    add_view_class = TermCreateView
    edit_view_class = TermEditView
    delete_view_class = TermDeleteView
    history_view_class = TermHistoryView
    usage_view_class = TermUsageView
    edit_handler = PANEL
