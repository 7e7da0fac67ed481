"""The preview of a form in the builder: its page as visitors would see it, with what is not saved yet.

A mistake shows the builder with its errors, as saving does. Nothing is written.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache

from cms_api.adminkit.views import AddView, EditView
from cms_api.core.errors import Invalid

from ..models import Form
from ..services.forms import unsaved_form
from ..types.inputs import ShownForm, ShownInput


def preview_of(form: Form, request: HttpRequest) -> HttpResponse:
    inputs = [ShownInput(each, f"preview-{each.key}", each.default) for each in form.schema]
    shown = ShownForm(form, id="preview", action="", back="", stamp="", inputs=inputs, is_preview=True)
    return render(request, "forms/page.html", {"shown": shown, "meta": {"title": form.name, "kind": "website"}})


class Previewing:
    """First base of a view of the builder: shows the form in place of saving it."""

    request: HttpRequest

    def find_stored(self) -> Form | None:
        return None

    def form_valid(self, form: Any) -> HttpResponse:
        try:
            found = unsaved_form(form=self.find_stored(), values=form.values())
        except Invalid as refusal:
            return self.show_refusal(form, refusal)  # type: ignore[attr-defined]
        return preview_of(found, self.request)


@method_decorator(never_cache, name="dispatch")
class PreviewNewView(Previewing, AddView):
    pass


@method_decorator(never_cache, name="dispatch")
class PreviewView(Previewing, EditView):
    def find_stored(self) -> Form | None:
        found: Form = self.object
        return found
