"""The form of a new token."""

from django import forms

from cms_api.adminkit.forms import RecordForm
from cms_api.adminkit.widgets import GroupedCheckboxes
from cms_api.core import registry
from cms_api.core.module import ABILITY_GROUPS

from ..selectors import restriction_choices
from ..types import LIFETIMES

LIFETIME_WORDS = {"30d": "30 days", "90d": "90 days", "1y": "1 year", "never": "Never (until it is revoked)"}


class AbilitiesWidget(GroupedCheckboxes):
    narrow = ("Read only", ":read")

    def presets(self) -> list[tuple[str, list[str], dict[str, str]]]:
        return [
            (preset.title, list(preset.abilities), {"restriction": preset.restriction.name if preset.restriction else ""})
            for module in registry.modules()
            for preset in module.api.token_presets
        ]


def ability_choices() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the abilities of the installed modules by group, in the order of ABILITY_GROUPS."""
    found: dict[str, list[tuple[str, str]]] = {title: [] for title in ABILITY_GROUPS}
    for module in registry.modules():
        found[module.api.group] += module.api.abilities.items()
    return [(title, abilities) for title, abilities in found.items() if abilities]


def labelled_restrictions() -> list[tuple[str, str]]:
    """Return the choices of the field: none, then each restriction, and those for one record."""
    named = [(key, f"{title} for “{scope}” only" if scope else title) for key, title, scope in restriction_choices()]
    return [("", "None"), *named]


class TokenForm(RecordForm):
    expires = forms.ChoiceField(
        initial="90d",
        label="Expires after",
        choices=[(lifetime, LIFETIME_WORDS[lifetime]) for lifetime in LIFETIMES],
        help_text="Expired tokens stop working but stay in the list.",
    )
    restriction = forms.ChoiceField(
        required=False,
        choices=labelled_restrictions,
        help_text="For devices in the hands of others. A restricted token has its own abilities: leave those below as they are.",
    )
    abilities = forms.MultipleChoiceField(
        choices=ability_choices,
        widget=AbilitiesWidget,
        required=False,
        help_text="The token can do nothing else. This cannot be changed later.",
    )

    def clean_abilities(self) -> list[str]:
        chosen: list[str] = self.cleaned_data["abilities"]
        if not chosen and not self.cleaned_data.get("restriction"):
            raise forms.ValidationError(forms.Field.default_error_messages["required"], "required")
        return chosen
