"""The admin pages of features and settings, for superusers only, saved through the services."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path, reverse
from django.views.generic import FormView
from wagtail.admin import messages
from wagtail.admin.menu import AdminOnlyMenuItem
from wagtail.admin.views.generic import WagtailAdminTemplateMixin
from wagtail.admin.viewsets.base import ViewSet
from wagtail.admin.widgets import HeaderButton, SwitchInput

from cms_api.core import registry
from cms_api.core.time_zones import zone_names

from ..selectors import is_on
from ..services import switch_feature
from .settings import KeysForm, SettingsForm, switch

#: The only feature that covers more than its module.
_API = ("API", "Everything under /api/v1. While it is off, every route answers 404; tokens are kept.")


class Feature(NamedTuple):
    """A feature switch on the page."""

    name: str
    title: str
    description: str
    requires: tuple[str, ...]
    field: forms.BoundField


class FeaturesForm(SettingsForm):
    """A switch for every feature of the installed modules, and the settings of the features that are on."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.also_switched: dict[str, bool] = {}
        for name in registry.features():
            widget = SwitchInput(attrs={"aria-labelledby": f"feature-{name}", "aria-describedby": f"feature-{name}-about"})
            self.fields[f"feature-{name}"] = switch(is_on(name), widget=widget)

    def features(self) -> Iterator[Feature]:
        titles = {name: self.words(name)[0] for name in registry.features()}
        for name, module in registry.features().items():
            title, description = self.words(name)
            requires = tuple(titles.get(each, each) for each in module.requires)
            yield Feature(name, title, description, requires, self[f"feature-{name}"])

    @staticmethod
    def words(feature: str) -> tuple[str, str]:
        """Return the title and the description of a feature."""
        module = registry.features()[feature]
        return _API if feature == "api" else (module.title, module.description)

    def clean(self) -> dict[str, Any]:
        """Refuse to switch a feature on while switching off one it requires, because the intent is ambiguous."""
        given = super().clean()
        changed = {name.removeprefix("feature-"): given.get(name) for name in self.changed_data if name.startswith("feature-")}
        for name in (name for name, on in changed.items() if on):
            for required in _requirements(name):
                if changed.get(required) is False:
                    self.add_error(f"feature-{name}", f"This requires {self.words(required)[0]}, which is being switched off.")
        return given

    def save_field(self, field: str, user: Any) -> None:
        if not field.startswith("feature-"):
            super().save_field(field, user)
            return
        value = self.cleaned_data[field]
        switched = switch_feature(name=field.removeprefix("feature-"), on=value)
        self.also_switched |= {each: value for each in switched if f"feature-{each}" not in self.changed_data}

    def outcome(self) -> str:
        """Return the sentence about features that were switched with others; empty if there are none."""
        switched = [f"{self.words(name)[0]}: {'on' if on else 'off'}" for name, on in self.also_switched.items()]
        return f" Also switched, because one feature requires the other: {', '.join(switched)}." if switched else ""


def _requirements(feature: str) -> set[str]:
    """Return the features that one requires, directly or indirectly."""
    module = registry.features().get(feature)
    direct = module.requires if module else ()
    return set(direct).union(*(_requirements(each) for each in direct))


class SettingsView(WagtailAdminTemplateMixin, FormView):
    """A page of settings that are saved together."""

    template_name = "flags/settings.html"
    url_name = ""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_superuser:
            raise PermissionDenied
        return super().dispatch(request, *args, **kwargs)

    def get_success_url(self) -> str:
        return reverse(f"features:{self.url_name}")

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

    def form_valid(self, form: SettingsForm) -> HttpResponse:
        if not form.save(self.request.user):
            return self.form_invalid(form)
        also = form.outcome() if isinstance(form, FeaturesForm) else ""
        messages.success(self.request, "Saved. Changes apply from the next request." + also)
        return super().form_valid(form)

    def form_invalid(self, form: SettingsForm) -> HttpResponse:
        messages.validation_error(self.request, "Nothing was saved. Please fix the errors below.", form)
        return super().form_invalid(form)


class FeaturesView(SettingsView):
    form_class = FeaturesForm
    template_name = "flags/features.html"
    page_title = "Features and settings"
    header_icon = "sliders"
    url_name = "index"

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        return [*self.breadcrumbs_items, {"url": "", "label": self.page_title}]

    @property
    def header_buttons(self) -> list[HeaderButton]:
        return [HeaderButton("Settings keys", url=reverse("features:keys"), icon_name="code")]


class KeysView(SettingsView):
    form_class = KeysForm
    page_title = "Settings keys"
    header_icon = "code"
    url_name = "keys"

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        home = {"url": reverse("features:index"), "label": FeaturesView.page_title}
        return [*self.breadcrumbs_items, home, {"url": "", "label": self.page_title}]


class FeaturesViewSet(ViewSet):
    icon = "sliders"
    menu_label = "Features and settings"
    menu_item_class = AdminOnlyMenuItem

    def get_urlpatterns(self) -> list[URLPattern]:
        return [path("", FeaturesView.as_view(), name="index"), path("keys/", KeysView.as_view(), name="keys")]


FEATURES = FeaturesViewSet("features", url_prefix="features")
