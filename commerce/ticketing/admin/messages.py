"""Messages of staff to everybody who has a ticket for a date."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.functional import cached_property
from django.views.generic import TemplateView
from wagtail.admin.utils import set_query_params
from wagtail.admin.widgets import AdminAutoHeightTextInput

from cms_api.adminkit.once import ALREADY_SUBMITTED, ONCE, SubmittedAgain, new_key, submitted_once
from cms_api.adminkit.pages import RecordsPage
from cms_api.core.errors import Invalid

from ..selectors.attendees import attendees_of
from ..services.announcing import message_attendees
from ..types.announcements import MAX_MESSAGE, MAX_SUBJECT
from .dates import OfDate


class MessageForm(forms.Form):
    subject = forms.CharField(max_length=MAX_SUBJECT)
    message = forms.CharField(max_length=MAX_MESSAGE, widget=AdminAutoHeightTextInput(attrs={"rows": 8}))


def people(number: int) -> str:
    return "1 person" if number == 1 else f"{number:,} people"


class MessageView(OfDate, RecordsPage, TemplateView):
    """Shows how many people get the message before it is sent."""

    http_method_names = ("get", "head", "post")
    template_name = "ticketing_admin/message.html"
    page_title = "Message attendees"
    header_icon = "mail"

    def get_page_subtitle(self) -> str:
        return str(self.event)

    def get_breadcrumb(self) -> str:
        return self.page_title

    @cached_property
    def recipients(self) -> int:
        return len(attendees_of(self.event.pk, self.start))

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        entry_form = kwargs.pop("entry_form", None) or MessageForm()
        once = self.request.POST.get(ONCE) or new_key()
        context = {"entry_form": entry_form, "once": once, "recipients": self.recipients, "people": people(self.recipients)}
        return super().get_context_data(**kwargs, **context, **self.date_context())

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        form = MessageForm(request.POST)
        if form.is_valid():
            asked = {"event": self.event.pk, "start": self.start}
            attendees = set_query_params(reverse("attendees:index"), asked)
            try:
                with submitted_once(request):
                    number = message_attendees(event=self.event, start=self.start, user=request.user, **form.cleaned_data)
            except SubmittedAgain:
                messages.warning(request, ALREADY_SUBMITTED)
                return HttpResponseRedirect(attendees)
            except Invalid as refusal:
                for path, sentences in refusal.errors.items():
                    form.add_error(path if path in form.fields else None, sentences)
            else:
                messages.success(request, f"The message will be emailed to {people(number)}.")
                return HttpResponseRedirect(attendees)
        return self.render_to_response(self.get_context_data(entry_form=form), status=422)
