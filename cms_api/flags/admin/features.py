"""The admin page of features and settings, for superusers only: one form, saved through the services."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from django import forms
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path, reverse
from django.views.generic import FormView
from wagtail.admin import messages
from wagtail.admin.menu import AdminOnlyMenuItem
from wagtail.admin.views.generic import WagtailAdminTemplateMixin
from wagtail.admin.viewsets.base import ViewSet
from wagtail.admin.widgets import SwitchInput

from cms_api.core import registry, versions
from cms_api.core.errors import Invalid
from cms_api.core.module import Module, SettingKey
from cms_api.core.time_zones import zone_names

from ..models import Setting
from ..selectors import get_setting, is_on
from ..services import set_setting, switch_feature

#: The only feature that covers more than its module.
_API = ("API", "Everything under /api/v1. While it is off, every route answers 404; tokens are kept.")
_MEMBER = re.compile(r"[a-z0-9][a-z0-9_-]*", re.ASCII)


class Feature(NamedTuple):
    """A feature switch on the page."""

    name: str
    title: str
    description: str
    requires: tuple[str, ...]
    field: forms.BoundField


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


class FeaturesForm(forms.Form):
    """A switch for every feature of the installed modules, and an input for every settings key of the features that are on.

    Only values that differ from those the page showed are saved, so that concurrent edits do not undo each other.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.also_switched: dict[str, bool] = {}
        for name in registry.features():
            widget = SwitchInput(attrs={"aria-labelledby": f"feature-{name}", "aria-describedby": f"feature-{name}-about"})
            self.fields[f"feature-{name}"] = _switch(is_on(name), widget=widget)
        for declared in (setting for module in _modules_on() for setting in module.settings):
            if declared.key.endswith(".*"):
                self._add_family(declared)
            else:
                self._add_setting(declared.key, declared)

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
            self.fields[name] = _input(key, declared)

    def features(self) -> Iterator[Feature]:
        titles = {name: self.words(name)[0] for name in registry.features()}
        for name, module in registry.features().items():
            title, description = self.words(name)
            requires = tuple(titles.get(each, each) for each in module.requires)
            yield Feature(name, title, description, requires, self[f"feature-{name}"])

    def hidden_initials(self) -> list[str]:
        """Return the values that the fields had when the page was rendered."""
        return [field.as_hidden(only_initial=True) for field in self if field.field.show_hidden_initial]

    def sections(self) -> Iterator[Section]:
        for module in _modules_on():
            single = [self[name] for setting in module.settings if (name := f"setting-{setting.key}") in self.fields]
            families = [self._family(setting) for setting in module.settings if setting.key.endswith(".*")]
            if single or families:
                yield Section("Site" if module.feature == "api" else module.title, single, families)

    def _family(self, declared: SettingKey) -> Family:
        prefix = declared.key[:-1]
        members = [self[name] for name in self.fields if name.startswith(f"setting-{prefix}")]
        return Family(declared, members, self[f"new-name-{declared.key}"], self[f"new-value-{declared.key}"])

    @staticmethod
    def words(feature: str) -> tuple[str, str]:
        """Return the title and the description of a feature."""
        module = registry.features()[feature]
        return _API if feature == "api" else (module.title, module.description)

    def clean(self) -> dict[str, Any]:
        """Refuse to switch a feature on while switching off one it requires, because the intent is ambiguous."""
        given: dict[str, Any] = super().clean() or {}
        changed = {name.removeprefix("feature-"): given.get(name) for name in self.changed_data if name.startswith("feature-")}
        for name in (name for name, on in changed.items() if on):
            for required in _requirements(name):
                if changed.get(required) is False:
                    self.add_error(f"feature-{name}", f"This requires {self.words(required)[0]}, which is being switched off.")
        for key in (key for key in registry.setting_keys() if key.endswith(".*")):
            if given.get(f"new-name-{key}") and not _MEMBER.fullmatch(given[f"new-name-{key}"]):
                self.add_error(f"new-name-{key}", "Use lower-case letters, digits, hyphens and underscores.")
        return given

    def save(self) -> bool:
        """Apply all changes or none; return False, with the services' errors on their fields, if one was refused."""
        try:
            with transaction.atomic():
                for name in self.changed_data:
                    self._save_field(name)
                if self.errors:
                    transaction.set_rollback(True)
        finally:
            versions.forget()
        return not self.errors

    def _save_field(self, field: str) -> None:
        kind, _, name = field.partition("-")
        value = self.cleaned_data[field]
        try:
            if kind == "feature":
                switched = switch_feature(name=name, on=value)
                self.also_switched |= {each: value for each in switched if f"feature-{each}" not in self.changed_data}
            elif kind == "setting":
                set_setting(key=name, value=value)
            elif field.startswith("new-name-"):
                family = field.removeprefix("new-name-")
                set_setting(key=family[:-1] + value, value=self.cleaned_data[f"new-value-{family}"])
        except Invalid as refusal:
            self.add_error(field, [sentence for found in refusal.errors.values() for sentence in found])


def _modules_on() -> list[Module]:
    """Return the modules whose features are on, and the one that has the API's switch: its settings are the site's."""
    return [module for module in registry.modules() if is_on(module.feature) or module.feature == "api"]


def _requirements(feature: str) -> set[str]:
    """Return the features that one requires, directly or indirectly."""
    module = registry.features().get(feature)
    direct = module.requires if module else ()
    return set(direct).union(*(_requirements(each) for each in direct))


def _switch(initial: bool, **options: Any) -> forms.BooleanField:
    return forms.BooleanField(required=False, initial=initial, show_hidden_initial=True, **options)


def _input(key: str, declared: SettingKey) -> forms.Field:
    """Return the form field for a key's type."""
    # The help of a family is shown once, above its keys.
    about = "" if declared.key.endswith(".*") else f"{declared.help} Default: {_in_words(declared.default)}."
    common: dict[str, Any] = {"label": key, "help_text": about}
    value = get_setting(key)
    if declared.type is bool:
        return _switch(value, widget=SwitchInput, **common)
    common |= {"initial": value, "show_hidden_initial": True}
    if declared.choices:
        return forms.ChoiceField(choices=[(choice, choice) for choice in declared.choices], **common)
    if declared.type is int:
        return forms.IntegerField(**common)
    if declared.type is str:
        # The browser suggests zone names but accepts any text; the service refuses unknown ones.
        attrs = {"list": "timezones"} if key == "site.timezone" else {}
        return forms.CharField(required=False, widget=forms.TextInput(attrs=attrs), **common)
    return forms.JSONField(required=False, **common)


def _in_words(default: Any) -> str:
    if isinstance(default, bool):
        return "on" if default else "off"
    return "empty" if default == "" else str(default)


class FeaturesView(WagtailAdminTemplateMixin, FormView):
    form_class = FeaturesForm
    template_name = "flags/features.html"
    page_title = "Features and settings"
    header_icon = "sliders"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_superuser:
            raise PermissionDenied
        return super().dispatch(request, *args, **kwargs)

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        return [*self.breadcrumbs_items, {"url": "", "label": self.page_title}]

    def get_success_url(self) -> str:
        return reverse("features:index")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs)
        form = context["form"]
        return context | {
            "media": form.media,
            "action_url": self.get_success_url(),
            "submit_button_label": "Save",
            "submit_button_active_label": "Saving…",
            "has_unsaved_changes": form.is_bound,
            "timezones": sorted(zone_names()),
        }

    def form_valid(self, form: FeaturesForm) -> HttpResponse:
        if not form.save():
            return self.form_invalid(form)
        switched = [f"{form.words(name)[0]}: {'on' if on else 'off'}" for name, on in form.also_switched.items()]
        also = f" Also switched, because one feature requires the other: {', '.join(switched)}." if switched else ""
        messages.success(self.request, "Saved. Changes apply from the next request." + also)
        return super().form_valid(form)

    def form_invalid(self, form: FeaturesForm) -> HttpResponse:
        messages.validation_error(self.request, "Nothing was saved. Please fix the errors below.", form)
        return super().form_invalid(form)


class FeaturesViewSet(ViewSet):
    icon = "sliders"
    menu_label = "Features and settings"
    menu_item_class = AdminOnlyMenuItem

    def get_urlpatterns(self) -> list[URLPattern]:
        return [path("", FeaturesView.as_view(), name="index")]


FEATURES = FeaturesViewSet("features", url_prefix="features")
