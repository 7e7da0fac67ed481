"""Inputs with choices: a field's options or a vocabulary's terms."""

from typing import Any

from django import forms

from cms_api.fields import Field

from ...models import ContentType, Term
from ...selectors import terms_by_id, vocabulary
from .base import Input, describe, register

Choices = list[tuple[Any, str]]

NOTHING = ("", "---------")


class ChoiceInput(Input):
    """One or several of the field's options."""

    icon = "list-ul"

    def is_many(self, field: Field) -> bool:
        return field.multiple

    def choices(self, field: Field, item_type: ContentType) -> Choices:
        return [(option.value, option.label) for option in field.options]

    def one(self, field: Field) -> forms.Widget:
        return forms.Select()

    def coerce(self, value: str) -> Any:
        return value

    def formfield(self, field: Field, item_type: ContentType) -> forms.Field:
        choices = self.choices(field, item_type)
        if self.is_many(field):
            boxes = forms.CheckboxSelectMultiple(attrs={"class": "content-choices"})
            return forms.TypedMultipleChoiceField(**describe(field, choices=choices, widget=boxes, coerce=self.coerce))
        widget = self.one(field)
        if not field.required or isinstance(widget, forms.Select):
            choices = [("", "None") if isinstance(widget, forms.RadioSelect) else NOTHING, *choices]
        return forms.TypedChoiceField(**describe(field, choices=choices, widget=widget, coerce=self.coerce, empty_value=None))

    def initial(self, field: Field, stored: Any) -> Any:
        many = self.is_many(field)
        chosen = [value for value in self.list_chosen(stored) if isinstance(value, str | int)]
        return chosen if many else chosen[0] if chosen else None

    def list_chosen(self, stored: Any) -> list[Any]:
        return stored if isinstance(stored, list) else [] if stored is None else [stored]

    def adapt(self, formfield: forms.Field, field: Field, stored: Any) -> None:
        """Keep an option that was removed from the field visible while the item still has it."""
        declared = {option.value for option in field.options}
        gone = [value for value in self.list_chosen(stored) if isinstance(value, str) and value not in declared]
        formfield.choices = [*formfield.choices, *((value, f"{value} (no longer offered)") for value in gone)]  # type: ignore[attr-defined]

    def text(self, field: Field, stored: Any) -> str:
        labels = {option.value: option.label for option in field.options}
        return ", ".join(str(labels.get(value, value)) for value in self.list_chosen(stored))


@register("select")
class SelectInput(ChoiceInput):
    icon = "arrow-down"


@register("radio")
class RadioInput(ChoiceInput):
    icon = "radio-full"

    def one(self, field: Field) -> forms.Widget:
        return forms.RadioSelect(attrs={"class": "content-choices"})


@register("checkbox")
class CheckboxInput(ChoiceInput):
    icon = "list-ul"

    def is_many(self, field: Field) -> bool:
        return True


@register("taxonomy")
class TaxonomyInput(ChoiceInput):
    """The terms of the type's vocabulary; in hierarchical ones, children are indented below their parents."""

    icon = "tag"

    def choices(self, field: Field, item_type: ContentType) -> Choices:
        return [(term.pk, "\u2003" * depth + term.name) for term, depth in in_tree(vocabulary(item_type.pk).get(field.key, []))]

    def coerce(self, value: str) -> Any:
        return int(value)

    def adapt(self, formfield: forms.Field, field: Field, stored: Any) -> None:
        return

    def text(self, field: Field, stored: Any) -> str:
        terms = terms_by_id()
        return ", ".join(terms[term_id].name for term_id in self.list_chosen(stored) if term_id in terms)


def in_tree(terms: list[Term]) -> list[tuple[Term, int]]:
    """Return terms in order, each after its parent, with their depth."""
    known = {term.pk for term in terms}
    below: dict[int | None, list[Term]] = {}
    for term in terms:
        below.setdefault(term.parent_id if term.parent_id in known else None, []).append(term)
    found: list[tuple[Term, int]] = []

    def walk(parent: int | None, depth: int) -> None:
        for term in below.get(parent, ()):
            found.append((term, depth))
            walk(term.pk, depth + 1)

    walk(None, 0)
    return found
