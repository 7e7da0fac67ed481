"""Vocabularies in the admin: the terms of each taxonomy field."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.urls import reverse
from wagtail.admin.panels import FieldPanel
from wagtail.admin.ui.tables import Column
from wagtail.admin.utils import set_query_params

from cms_api.adminkit import filters
from cms_api.adminkit.columns import RecordColumn
from cms_api.adminkit.forms import RecordForm
from cms_api.adminkit.listing import ListView
from cms_api.adminkit.views import AddView, DeleteView, EditView
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.fields import Field

from ..models import ContentType, Term
from ..selectors import type_by_id, visible_types, vocabulary
from ..services.types import delete_term, save_term
from .access import visible_type_ids
from .inputs.choices import in_tree
from .kinds import KindMixin, KindsView

Vocabulary = tuple[ContentType, Field]


def vocabularies() -> dict[str, Vocabulary]:
    """Return every taxonomy field of the visible types, by `type.key`."""
    types = sorted(visible_types().values(), key=lambda found: found.name.lower())
    return {f"{found.slug}.{field.key}": (found, field) for found in types for field in found.taxonomies}


def vocabulary_label(item_type: ContentType, taxonomy: str) -> str:
    label = next((field.label for field in item_type.taxonomies if field.key == taxonomy), taxonomy)
    return f"{item_type.name}: {label}"


def vocabulary_choices() -> list[tuple[str, str]]:
    return [(name, vocabulary_label(found, field.key)) for name, (found, field) in vocabularies().items()]


def of_vocabulary(terms: QuerySet[Term], name: str, value: str) -> QuerySet[Term]:
    item_type, field = vocabularies()[value]
    return terms.filter(type=item_type, taxonomy=field.key)


class TermForm(RecordForm):
    slug = forms.CharField(
        required=False,
        max_length=100,
        help_text="Part of the URL of the term's page. Leave empty to derive it from the name.",
    )
    parent = forms.TypedChoiceField(required=False, coerce=int, empty_value=None, help_text="The term above this one.")

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
        values = super().values()
        parent = Term.objects.filter(pk=values.get("parent") or 0).first()
        place = {"item_type": self.instance.type, "taxonomy": self.instance.taxonomy}
        return {**values, **place, "parent": parent, "position": values["position"] or 0}


class VocabulariesView(KindsView):
    page_title = "New term"
    header_icon = "tag"
    question = "Which vocabulary does the term belong to?"
    nothing = "No content type has a vocabulary. Add a vocabulary field to one first."
    listing = ("Vocabularies", "content_terms:index")

    def kinds(self) -> Any:
        for name, (item_type, field) in vocabularies().items():
            url = set_query_params(reverse("content_terms:add"), {"vocabulary": name})
            yield item_type.icon, field.label, item_type.name_plural, url


class ToVocabulary:
    """Leads back to the list of the term's vocabulary."""

    object: Term

    def get_success_url(self) -> str:
        name = f"{self.object.type.slug}.{self.object.taxonomy}"
        return set_query_params(reverse("content_terms:index"), {"vocabulary": name})


class TermAddView(ToVocabulary, KindMixin, AddView):
    kinds_view = staticmethod(VocabulariesView.as_view())

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        name = request.GET.get("vocabulary", "")
        self.kind = vocabularies().get(name)
        if name and self.kind is None:
            raise Http404
        super().setup(request, *args, **kwargs)

    def get_initial_form_instance(self) -> Term:
        item_type, field = self.kind
        return Term(type=item_type, taxonomy=field.key)

    def get_page_subtitle(self) -> str:
        return vocabulary_label(self.kind[0], self.kind[1].key) if self.kind else ""

    def get_add_url(self) -> str:
        return self.request.get_full_path()


class TermEditView(ToVocabulary, EditView):
    pass


class TermDeleteView(ToVocabulary, DeleteView):
    pass


class TermListView(ListView):
    page_title = "Vocabularies"

    def get_add_url(self) -> str | None:
        url = super().get_add_url()
        chosen = self.request.GET.get("vocabulary", "")
        return set_query_params(url, {"vocabulary": chosen}) if url and chosen in vocabularies() else url


class TermViewSet(RecordViewSet):
    model = Term
    icon = "tag"
    name = "content_terms"
    url_prefix = "content/vocabularies"
    # The entry is in `menu`.
    menu_label = ""
    pages = ("add", "edit", "delete", "history", "usage")
    ordering = ("type__name", "taxonomy", "position", "name", "id")
    index_view_class = TermListView
    add_view_class = TermAddView
    edit_view_class = TermEditView
    delete_view_class = TermDeleteView
    add_to_reference_index = True
    list_display = (
        RecordColumn("name", label="Name", sort_key="name"),
        Column("slug", label="Slug", sort_key="slug"),
        Column("vocabulary", label="Vocabulary", accessor=lambda term: vocabulary_label(type_by_id(term.type_id), term.taxonomy)),
        Column("parent", label="Parent", accessor=lambda term: term.parent or ""),
        Column("position", label="Position", sort_key="position"),
    )
    filters = {"vocabulary": filters.choice(vocabulary_choices, label="Vocabulary", method=of_vocabulary)}
    search_fields = ["name"]
    form = TermForm
    panels = (
        FieldPanel("name"),
        FieldPanel("slug"),
        FieldPanel("parent"),
        FieldPanel("position", help_text="Lower numbers come first."),
    )

    def records(self) -> QuerySet[Term]:
        return Term.objects.filter(type__in=visible_type_ids()).select_related("parent")

    def create(self, values: dict[str, Any], user: Any) -> Term:
        return save_term(**values, user=user)

    def update(self, record: Term, values: dict[str, Any], user: Any) -> Term:
        return save_term(**values, term=record, user=user)

    def delete(self, record: Term, user: Any) -> None:
        delete_term(term=record, user=user)
