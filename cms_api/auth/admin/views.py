"""Token pages that differ from Wagtail's generic ones."""

from collections import defaultdict
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.functional import cached_property
from wagtail.admin import messages
from wagtail.admin.ui.menus import MenuItem
from wagtail.admin.views import generic
from wagtail.admin.views.generic.history import HistoryView
from wagtail.admin.widgets.button import Button, HeaderButton

from cms_api.core.errors import Invalid

from ..models import ApiToken, ApiTokenQuerySet
from ..services.tokens import create_token, revoke_token
from .forms import TokenForm

#: How long a submitted form is remembered, in seconds.
REMEMBERED = 24 * 3600
SHOWN_MODULES = 3

LABELS = {
    "last_four": "Token",
    "created_at": "Created",
    "last_used_at": "Last used",
    "expires_at": "Expires",
    "revoked_at": "Revoked",
}


def shortened(token: ApiToken) -> str:
    """Return the part of a token that may be shown after it has been revealed."""
    return f"…{token.last_four}"


def summary(token: ApiToken) -> str:
    """Return the abilities on one line: `content (read, write), media (read) and 4 more`."""
    verbs: dict[str, list[str]] = defaultdict(list)
    for ability in token.abilities:
        module, _, verb = ability.partition(":")
        verbs[module].append(verb)
    words = [f"{module} ({', '.join(found)})" for module, found in verbs.items()]
    more = len(words) - SHOWN_MODULES
    return ", ".join(words[:SHOWN_MODULES]) + (f" and {more} more" if more > 0 else "")


class Index(generic.IndexView):
    def get_base_queryset(self) -> ApiTokenQuerySet:
        return super().get_base_queryset().select_related("created_by__wagtail_userprofile")

    def get_list_more_buttons(self, instance: ApiToken) -> list[MenuItem]:
        found = [
            MenuItem("Inspect", url=self.get_inspect_url(instance), icon_name="info-circle", priority=10),
            MenuItem("History", url=reverse("tokens:history", args=[instance.pk]), icon_name="history", priority=20),
        ]
        if instance.revoked_at is None:
            found.append(MenuItem("Revoke", url=self.get_delete_url(instance), icon_name="bin", priority=30))
        return found


class Create(generic.CreateView):
    """Creates a token and reveals it in the response to the POST: the plaintext is not stored, so a reload cannot show it."""

    def get_form_kwargs(self) -> dict[str, Any]:
        kwargs = super().get_form_kwargs()
        kwargs.pop("instance", None)
        return kwargs

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = super().dispatch(request, *args, **kwargs)
        response["Cache-Control"] = "no-store, private"
        return response

    def form_valid(self, form: TokenForm) -> HttpResponse:
        self.form = form
        given = form.cleaned_data
        sent_before = "tokens.form." + given["once"]
        if not cache.add(sent_before, True, REMEMBERED):
            messages.warning(
                self.request,
                "This form was already submitted. A token is shown only once: if you lost it, revoke it and create a new one.",
            )
            return redirect(self.get_success_url())
        try:
            token, plaintext = create_token(
                name=given["name"], abilities=given["abilities"], lifetime=given["expires"], user=self.request.user
            )
        except Invalid as refusal:
            cache.delete(sent_before)
            for field, sentences in refusal.errors.items():
                form.add_error(field, sentences)
            self.produced_error_message = self.get_error_message()
            return self.form_invalid(form)
        return TemplateResponse(self.request, "tokens/created.html", self._reveal(token, plaintext))

    def _reveal(self, token: ApiToken, plaintext: str) -> dict[str, Any]:
        curl = f'curl -H "Authorization: Bearer {plaintext}" {settings.BASE_URL}/api/v1/content-items'
        breadcrumbs = [
            *self.breadcrumbs_items,
            {"url": self.get_success_url(), "label": "API tokens"},
            {"url": "", "label": "Created", "sublabel": token.name},
        ]
        return {
            "token": token,
            "plaintext": plaintext,
            "curl": curl,
            "header_icon": self.header_icon,
            "header_title": f"API token created: {token.name}",
            "breadcrumbs_items": breadcrumbs,
        }


class Inspect(generic.InspectView):
    def get_last_four_display_value(self) -> str:
        return shortened(self.object)

    def get_state_display_value(self) -> str:
        return self.object.state.capitalize()

    def get_abilities_display_value(self) -> str:
        return ", ".join(self.object.abilities)

    def get_created_by_display_value(self) -> str:
        return str(self.object.created_by or "Command line, or a deleted user")

    def get_last_used_at_display_value(self) -> Any:
        return self.object.last_used_at or "Never"

    def get_expires_at_display_value(self) -> Any:
        return self.object.expires_at or "Never"

    def get_revoked_at_display_value(self) -> Any:
        return self.object.revoked_at or "No"

    def get_field_label(self, field_name: str, field: Any) -> str:
        return LABELS.get(field_name) or super().get_field_label(field_name, field)

    @cached_property
    def header_buttons(self) -> list[HeaderButton]:
        return [HeaderButton("History", url=reverse("tokens:history", args=[self.object.pk]), icon_name="history")]

    @cached_property
    def header_more_buttons(self) -> list[Button]:
        if self.object.revoked_at:
            return []
        return [Button("Revoke", url=self.get_delete_url(), icon_name="bin")]


class History(HistoryView):
    @cached_property
    def header_buttons(self) -> list[HeaderButton]:
        return [HeaderButton("Inspect", url=reverse("tokens:inspect", args=[self.object.pk]), icon_name="info-circle")]


class Revoke(generic.DeleteView):
    """Revokes a token after confirmation; the row stays for the audit log."""

    page_title = "Revoke"
    template_name = "tokens/confirm_revoke.html"

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        index = {"url": reverse(self.index_url_name), "label": "API tokens"}
        return [*self.breadcrumbs_items, index, {"url": "", "label": self.page_title, "sublabel": str(self.object)}]

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if self.object.revoked_at:
            return self._was_revoked()
        return super().get(request, *args, **kwargs)

    def form_valid(self, form: Any) -> HttpResponse:
        if not revoke_token(token=self.object, user=self.request.user):
            return self._was_revoked()
        messages.success(self.request, f"API token '{self.object}' revoked.")
        return HttpResponseRedirect(self.get_success_url())

    def _was_revoked(self) -> HttpResponse:
        messages.warning(self.request, f"API token '{self.object}' was already revoked.")
        return HttpResponseRedirect(self.get_success_url())
