"""The forms of settings: those with a title for every admin, and all keys for developers."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from django import forms
from django.db import transaction
from wagtail.admin.widgets import AdminAutoHeightTextInput, SwitchInput

from cms_api.core import registry, versions
from cms_api.core.errors import Invalid
from cms_api.core.module import Module, SettingKey

from ..models import Setting
from ..selectors import get_setting, is_on
from ..services import set_setting

_MEMBER = re.compile(r"[a-z0-9][a-z0-9_-]*", re.ASCII)


class Family(NamedTuple):
    """The keys that share a prefix: those already set, and inputs to add another."""

    declared: SettingKey
    fields: list[forms.BoundField]
    new_name: forms.BoundField
    new_value: forms.BoundField


class Section(NamedTuple):
    """The settings of one module."""

    title: str
    fields: list[forms.BoundField]
    families: list[Family]


class SettingsForm(forms.Form):
    """An input for each setting with a title, of the features that are on.

    Only values that differ from those the page showed are saved, so that concurrent edits do not undo each other.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for declared in (setting for module in _modules_on() for setting in self.list_settings(module)):
            if declared.key.endswith(".*"):
                self._add_family(declared)
            else:
                self._add_setting(declared.key, declared)

    def list_settings(self, module: Module) -> list[SettingKey]:
        return [setting for setting in module.settings if setting.title]

    def label(self, key: str, declared: SettingKey) -> str:
        return declared.title

    def _add_family(self, declared: SettingKey) -> None:
        prefix = declared.key[:-1]
        for member in Setting.objects.filter(key__startswith=prefix).order_by("key").values_list("key", flat=True):
            self._add_setting(member, declared)
        self.fields[f"new-name-{declared.key}"] = forms.CharField(
            required=False, max_length=60, label="New key", help_text=f"The part after {prefix}."
        )
        self.fields[f"new-value-{declared.key}"] = forms.CharField(required=False, label="Value")

    def _add_setting(self, key: str, declared: SettingKey) -> None:
        """Add the input of a key, unless its feature was switched on, or the key set, after the page was rendered."""
        name = f"setting-{key}"
        if not self.is_bound or self.add_initial_prefix(name) in self.data:
            self.fields[name] = _input(key, declared, self.label(key, declared))

    def hidden_initials(self) -> list[str]:
        """Return the values that the fields had when the page was rendered."""
        return [field.as_hidden(only_initial=True) for field in self if field.field.show_hidden_initial]

    def sections(self) -> Iterator[Section]:
        for module in _modules_on():
            shown = self.list_settings(module)
            single = [self[name] for setting in shown if (name := f"setting-{setting.key}") in self.fields]
            families = [self._family(setting) for setting in shown if setting.key.endswith(".*")]
            if single or families:
                yield Section("Site" if module.feature == "api" else module.title, single, families)

    def _family(self, declared: SettingKey) -> Family:
        prefix = declared.key[:-1]
        members = [self[name] for name in self.fields if name.startswith(f"setting-{prefix}")]
        return Family(declared, members, self[f"new-name-{declared.key}"], self[f"new-value-{declared.key}"])

    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = super().clean() or {}
        for key in (key for key in registry.setting_keys() if key.endswith(".*")):
            if given.get(f"new-name-{key}") and not _MEMBER.fullmatch(given[f"new-name-{key}"]):
                self.add_error(f"new-name-{key}", "Use lower-case letters, digits, hyphens and underscores.")
        return given

    def save(self, user: Any = None) -> bool:
        """Apply all changes or none; return False, with the services' errors on their fields, if one was refused."""
        try:
            with transaction.atomic():
                for name in self.changed_data:
                    try:
                        self.save_field(name, user)
                    except Invalid as refusal:
                        self.add_error(name, [sentence for found in refusal.errors.values() for sentence in found])
                if self.errors:
                    transaction.set_rollback(True)
        finally:
            versions.forget()
        return not self.errors

    def save_field(self, field: str, user: Any) -> None:
        value = self.cleaned_data[field]
        if field.startswith("setting-"):
            set_setting(key=field.removeprefix("setting-"), value=value, user=user)
        elif field.startswith("new-name-"):
            family = field.removeprefix("new-name-")
            set_setting(key=family[:-1] + value, value=self.cleaned_data[f"new-value-{family}"], user=user)


class KeysForm(SettingsForm):
    """An input for every settings key, by its own name."""

    def list_settings(self, module: Module) -> list[SettingKey]:
        return list(module.settings)

    def label(self, key: str, declared: SettingKey) -> str:
        return key


def switch(initial: bool, **options: Any) -> forms.BooleanField:
    return forms.BooleanField(required=False, initial=initial, show_hidden_initial=True, **options)


def _modules_on() -> list[Module]:
    """Return the modules whose features are on, and the one that has the API's switch: its settings are the site's."""
    return [module for module in registry.modules() if is_on(module.feature) or module.feature == "api"]


def _input(key: str, declared: SettingKey, label: str) -> forms.Field:
    """Return the form field for a key's type."""
    # The help of a family is shown once, above its keys.
    separated = " One per line." if declared.is_list else ""
    about = "" if declared.key.endswith(".*") else f"{declared.help}{separated} Default: {_default_in_words(declared)}."
    common: dict[str, Any] = {"label": label, "help_text": about}
    value = get_setting(key)
    if declared.type is bool:
        return switch(value, widget=SwitchInput, **common)
    common |= {"initial": value, "show_hidden_initial": True}
    if declared.choices:
        return forms.ChoiceField(choices=list(_labels(declared).items()), **common)
    if declared.type is int:
        return forms.IntegerField(**common)
    if declared.is_list:
        return forms.CharField(required=False, widget=AdminAutoHeightTextInput, **common)
    if declared.type is str:
        # The browser suggests zone names but accepts any text; the service refuses unknown ones.
        attrs = {"list": "timezones"} if key == "site.timezone" else {}
        return forms.CharField(required=False, widget=forms.TextInput(attrs=attrs), **common)
    return forms.JSONField(required=False, **common)


def _default_in_words(declared: SettingKey) -> str:
    default = declared.default
    if isinstance(default, bool):
        return "on" if default else "off"
    if declared.choices:
        return _labels(declared)[default]
    return "empty" if default == "" else str(default)


def _labels(declared: SettingKey) -> Mapping[str, str]:
    """Return the label of each choice."""
    return declared.choices if isinstance(declared.choices, Mapping) else {choice: choice for choice in declared.choices}
