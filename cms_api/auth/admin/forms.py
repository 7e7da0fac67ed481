"""The form of a new token."""

from django import forms

from cms_api.adminkit.reveal import SecretForm
from cms_api.adminkit.widgets import GroupedCheckboxes
from cms_api.core import registry
from cms_api.core.module import ABILITY_GROUPS

from ..types import LIFETIMES

LIFETIME_WORDS = {"30d": "30 days", "90d": "90 days", "1y": "1 year", "never": "Never (until it is revoked)"}


class AbilitiesWidget(GroupedCheckboxes):
    narrow = ("Read only", ":read")

    def presets(self) -> list[tuple[str, list[str]]]:
        return [(preset.title, list(preset.abilities)) for module in registry.modules() for preset in module.token_presets]


def ability_choices() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the abilities of the installed modules by group, in the order of ABILITY_GROUPS."""
    found: dict[str, list[tuple[str, str]]] = {title: [] for title in ABILITY_GROUPS}
    for module in registry.modules():
        found[module.group] += module.abilities.items()
    return [(title, abilities) for title, abilities in found.items() if abilities]


class TokenForm(SecretForm):
    expires = forms.ChoiceField(
        initial="90d",
        label="Expires after",
        choices=[(lifetime, LIFETIME_WORDS[lifetime]) for lifetime in LIFETIMES],
        help_text="Expired tokens stop working but stay in the list.",
    )
    abilities = forms.MultipleChoiceField(
        choices=ability_choices, widget=AbilitiesWidget, help_text="The token can do nothing else. This cannot be changed later."
    )
