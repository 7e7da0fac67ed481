"""The forms of subscribers and sequences."""

from typing import Any

from django import forms

from cms_api.adminkit.forms import RecordForm
from cms_api.core.errors import Invalid
from commerce.common.types import MAX_TAG, MAX_TAGS, read_email, split_tags, unique_tags

STEP_FIELDS = ("delay", "unit", "subject", "body")


def read_tags(text: str) -> list[str]:
    """Split tags at commas and line breaks. Raises ValidationError."""
    found = unique_tags(" ".join(tag.split()) for tag in split_tags(text.replace("\n", ",")))
    if any(len(tag) > MAX_TAG for tag in found):
        raise forms.ValidationError(f"A tag must not be longer than {MAX_TAG} characters.")
    if len(found) > MAX_TAGS:
        raise forms.ValidationError(f"There may not be more than {MAX_TAGS} tags.")
    return found


class SubscriberForm(RecordForm):
    only_new = ("email",)

    tags_editor = forms.CharField(
        required=False,
        label="Tags",
        max_length=10_000,
        help_text="Separated by commas. Tags add subscribers to mailing lists and can start sequences.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["tags_editor"] = ", ".join(self.instance.tags)

    def clean_email(self) -> str:
        try:
            return read_email(self.cleaned_data["email"])
        except Invalid as refusal:
            raise forms.ValidationError(refusal.message) from refusal

    def clean_tags_editor(self) -> list[str]:
        return read_tags(self.cleaned_data["tags_editor"])

    def values(self) -> dict[str, Any]:
        values = super().values()
        texts = {name: " ".join(values[name].split()) for name in ("first_name", "last_name", "source")}
        return {**values, **texts, "tags": values.pop("tags_editor")}


class SequenceForm(RecordForm):
    """A sequence and its steps."""

    only_new = ("slug",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "slug" in self.fields:
            self.fields["slug"].required = False

    def _step_forms(self) -> list[Any]:
        """Return the forms of the remaining steps, in order."""
        return list(self.formsets["steps"].ordered_forms)

    def values(self) -> dict[str, Any]:
        steps = [
            {name: form.cleaned_data[name] for name in STEP_FIELDS} | {"id": form.instance.pk} for form in self._step_forms()
        ]
        return {**super().values(), "steps": steps}

    def refuse(self, refusal: Invalid) -> None:
        # `ordered_forms` only has valid forms, and the first message invalidates one.
        steps = self._step_forms()
        rest: dict[str, list[str]] = {}
        for place, sentences in refusal.errors.items():
            first, _, inner = place.partition(".")
            number, _, name = inner.partition(".")
            if first != "steps":
                rest[place] = sentences
            elif number.isdecimal():
                steps[int(number)].add_error(name, sentences)
            else:
                self.formsets["steps"].non_form_errors().extend(sentences)
        if rest:
            super().refuse(Invalid(rest))

    class Media:
        css = {"all": ["adminkit/adminkit.css", "marketing/admin.css"]}
