"""The editable texts of mails: the list of mails, the form with its preview, and the reset to the defaults."""

from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils.functional import cached_property
from django.views.generic import FormView, TemplateView
from wagtail.admin import messages

from cms_api.adminkit.pages import RecordsPage
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.core import registry
from cms_api.core.errors import Invalid

from ..models import MailTemplate
from ..selectors import is_unsafe, mails_on, placeholders, sample, title, words
from ..services.rendering import render
from ..services.templates import change_words, check_words, in_subject, reset_words
from ..types import MAX_SUBJECT, Words


class TemplateForm(forms.Form):
    """The text of a mail. The service validates it, so nothing is required here."""

    subject = forms.CharField(required=False, max_length=MAX_SUBJECT)
    text = forms.CharField(
        required=False,
        label="Plain text",
        help_text="For email programs without HTML. Lines whose placeholders are empty are left out.",
        widget=forms.Textarea(attrs={"rows": 12, "class": "mail__source"}),
    )
    html = forms.CharField(
        required=False,
        label="HTML",
        help_text="Paragraphs, headings, lists, tables, links, images, bold and italic text; anything else is removed.",
        widget=forms.Textarea(attrs={"rows": 16, "class": "mail__source", "spellcheck": "false"}),
    )

    @property
    def words(self) -> Words:
        return Words(**{name: self.cleaned_data.get(name, "") for name in ("subject", "text", "html")})


class IndexView(RecordsPage, TemplateView):
    template_name = "mail_admin/templates.html"
    page_title = "Mail templates"

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        return [*self.breadcrumbs_items, {"url": "", "label": self.page_title}]

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        changed = {each.name: each for each in MailTemplate.objects.select_related("changed_by")}
        rows = [
            {
                "mail": mail,
                "title": title(name),
                "module": module.title,
                "changed": changed.get(name),
                "is_unsafe": name in changed and is_unsafe(changed[name]),
            }
            for name, (module, mail) in mails_on().items()
        ]
        return super().get_context_data(**kwargs) | {"rows": rows}


class MailPage(RecordsPage):
    """A page about one mail, named in the URL."""

    kwargs: dict[str, Any]
    mail: str

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        self.mail = kwargs["name"]
        if self.mail not in mails_on():
            raise Http404

    @property
    def edit_url(self) -> str:
        return reverse("mail_templates:edit", args=[self.mail])

    def get_page_subtitle(self) -> str:
        return title(self.mail)


class EditView(MailPage, FormView):
    """Edits the text of a mail; if `preview` is submitted, shows it with sample values and saves nothing."""

    form_class = TemplateForm
    template_name = "mail_admin/template.html"
    page_title = "Mail template"

    @cached_property
    def changed(self) -> MailTemplate | None:
        return MailTemplate.objects.filter(name=self.mail).first()

    def get_initial(self) -> dict[str, Any]:
        return vars(self.changed.words if self.changed else words(self.mail))

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs)
        form = context["form"]
        kwargs.setdefault("preview", None if form.is_bound else render(words(self.mail), sample(self.mail)))
        return context | {
            "mail": registry.mail(self.mail),
            "placeholders": [(name, about, name in in_subject(self.mail)) for name, about in placeholders(self.mail).items()],
            "changed": self.changed,
            "is_unsafe": self.changed is not None and is_unsafe(self.changed),
            "media": form.media,
            "action_url": self.edit_url,
            "submit_button_label": "Save",
            "submit_button_active_label": "Saving…",
            "has_unsaved_changes": form.is_bound,
            "preview": kwargs["preview"],
        }

    def form_valid(self, form: TemplateForm) -> HttpResponse:
        try:
            if "preview" in self.request.POST:
                preview = render(check_words(name=self.mail, words=form.words), sample(self.mail))
                return self.render_to_response(self.get_context_data(form=form, preview=preview))
            change_words(name=self.mail, words=form.words, user=self.request.user)
        except Invalid as refusal:
            for field, sentences in refusal.errors.items():
                form.add_error(field, sentences)
            return self.form_invalid(form)
        messages.success(self.request, "Saved. New emails use this text.")
        return redirect(self.edit_url)

    def form_invalid(self, form: TemplateForm) -> HttpResponse:
        messages.validation_error(self.request, "Nothing was saved. Please fix the errors below.", form)
        return super().form_invalid(form)


class ResetView(MailPage, TemplateView):
    """Confirms on GET, acts on POST."""

    template_name = "adminkit/confirm.html"
    page_title = "Reset mail template"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {
            "asked": "Reset this mail to its default text? The current text is lost.",
            "transition": {"label": "Reset", "serious": True},
            "back": self.edit_url,
        }

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        reset_words(name=self.mail, user=request.user)
        messages.success(request, "The default text is used again.")
        return redirect(self.edit_url)


class TemplateViewSet(RecordViewSet):
    """Every declared mail, whether its text was changed or not."""

    model = MailTemplate
    icon = "edit"
    menu_label = "Mail templates"
    pages = ()

    def get_urlpatterns(self) -> list[URLPattern]:
        return [
            path("", self.construct_view(IndexView), name="index"),
            path("<slug:name>/", self.construct_view(EditView), name="edit"),
            path("<slug:name>/reset/", self.construct_view(ResetView), name="reset"),
        ]
