"""The form of a new token, with the abilities of the installed modules by group, and the listing's filter."""

import secrets
from dataclasses import dataclass
from typing import Any

import django_filters
from django import forms
from django.utils import timezone
from wagtail.admin.filters import WagtailFilterSet

from cms_api.core import registry
from cms_api.core.module import ABILITY_GROUPS

from ..models import ApiToken, ApiTokenQuerySet
from ..types import LIFETIMES

LIFETIME_WORDS = {"30d": "30 days", "90d": "90 days", "1y": "1 year", "never": "Never (until it is revoked)"}
STATES = ("active", "expired", "revoked")


@dataclass(frozen=True)
class Ability:
    """A checkbox in the dialog."""

    name: str
    text: str
    reads: bool
    chosen: bool


@dataclass(frozen=True)
class AbilityGroup:
    """A heading in the dialog, with its checkboxes."""

    title: str
    abilities: list[Ability]

    @property
    def offers_read_only(self) -> bool:
        return len({ability.reads for ability in self.abilities}) == 2


class TokenForm(forms.Form):
    """The input of `create_token`. The service validates it, so nothing is required here."""

    name = forms.CharField(
        required=False,
        help_text="For example, the integration that will use the token.",
        widget=forms.TextInput(attrs={"maxlength": 100, "autocomplete": "off", "aria-required": "true"}),
    )
    expires = forms.ChoiceField(
        required=False,
        initial="90d",
        choices=[(lifetime, LIFETIME_WORDS[lifetime]) for lifetime in LIFETIMES],
        help_text="Expired tokens stop working but stay in the list.",
    )
    abilities = forms.MultipleChoiceField(required=False)
    #: Limits the form to one token, however often it is submitted.
    once = forms.CharField(widget=forms.HiddenInput, max_length=64, initial=lambda: secrets.token_urlsafe(16))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        abilities: Any = self.fields["abilities"]
        abilities.choices = list(registry.abilities().items())

    def groups(self) -> list[AbilityGroup]:
        """Return the abilities of installed modules by group, in the order of ABILITY_GROUPS; empty groups are left out."""
        chosen = set(self["abilities"].value() or ())
        found: dict[str, list[Ability]] = {title: [] for title in ABILITY_GROUPS}
        for module in registry.modules():
            for name, text in module.abilities.items():
                found[module.group].append(Ability(name, text, name.endswith(":read"), name in chosen))
        return [AbilityGroup(title, abilities) for title, abilities in found.items() if abilities]


class TokenFilterSet(WagtailFilterSet):
    state = django_filters.ChoiceFilter(
        label="Status",
        choices=[(state, state.capitalize()) for state in STATES],
        empty_label="All",
        method="filter_state",
        widget=forms.RadioSelect,
    )

    class Meta:
        model = ApiToken
        fields: list[str] = []

    def filter_state(self, tokens: ApiTokenQuerySet, name: str, state: str) -> ApiTokenQuerySet:
        if state == "active":
            return tokens.usable()
        if state == "revoked":
            return tokens.exclude(revoked_at=None)
        return tokens.filter(revoked_at=None, expires_at__lte=timezone.now())
