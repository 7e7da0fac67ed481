"""The page that imports the JSON file of a provider."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.generic import TemplateView
from wagtail.admin import messages

from cms_api.adminkit.once import ActsOnce
from cms_api.adminkit.pages import RecordsPage
from cms_api.core.errors import Invalid
from commerce.imports.selectors import import_url

from ..services import sync_reviews
from ..types import SYNCED

MIB = 1024 * 1024
MAX_FILE_BYTES = 10 * MIB


class ImportForm(forms.Form):
    provider = forms.ChoiceField(choices=[(provider.value, provider.label) for provider in SYNCED])
    file = forms.FileField(label="JSON file", help_text="An answer of the provider's API, or a list of reviews.")
    is_complete = forms.BooleanField(
        required=False,
        label="The file has all reviews",
        help_text="Reviews that are not in it are marked as removed at the provider, and hidden.",
    )

    def clean_file(self) -> bytes:
        uploaded = self.cleaned_data["file"]
        if uploaded.size > MAX_FILE_BYTES:
            raise forms.ValidationError(f"The file may not be larger than {MAX_FILE_BYTES // MIB} MB.")
        return bytes(uploaded.read())


class ImportView(ActsOnce, RecordsPage, TemplateView):
    permission_required = "add"
    template_name = "reviews_admin/import.html"
    page_title = "Import reviews"
    header_icon = "upload"

    def get_next_url(self) -> str:
        return reverse(self.viewset.get_url_name("index"))

    def post(self, request: HttpRequest) -> HttpResponse:
        form = ImportForm(request.POST, request.FILES)
        if form.is_valid():
            values = form.cleaned_data
            try:
                synced = sync_reviews(
                    provider=values["provider"], content=values["file"], is_complete=values["is_complete"], user=request.user
                )
            except Invalid as refusal:
                for name, sentences in refusal.errors.items():
                    form.add_error(name if name in form.fields else None, sentences)
            else:
                messages.success(request, f"Reviews imported: {synced}")
                if synced.mistakes:
                    messages.warning(request, " ".join(synced.mistakes))
                return HttpResponseRedirect(self.get_next_url())
        return self.render_to_response(self.get_context_data(entry_form=form), status=422)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        form = kwargs.pop("entry_form", None) or ImportForm()
        csv_url = import_url("reviews", self.request.user)
        return super().get_context_data(**kwargs, entry_form=form, csv_url=csv_url, back=self.get_next_url())
