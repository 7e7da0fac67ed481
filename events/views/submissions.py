"""The page on which members submit events."""

from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from cms_api.content.resources import meta
from cms_api.content.selectors import find_type
from cms_api.core.errors import Invalid, TooManyAttempts

from ..services.submissions import MAX_DESCRIPTION, submit_event

PATH = "/events/submit"
#: Query parameter set after a submission.
SENT = "sent"


class EventForm(forms.Form):
    """The submission form; `submit_event` does the validation."""

    title = forms.CharField(max_length=255, strip=True, error_messages={"required": "Enter a title."})
    start = forms.CharField(
        label="Starts",
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}),
        help_text="Local time.",
        error_messages={"required": "Enter when the event starts."},
    )
    end = forms.CharField(label="Ends", required=False, widget=forms.DateTimeInput(attrs={"type": "datetime-local"}))
    all_day = forms.BooleanField(label="All-day event", required=False)
    venue = forms.CharField(max_length=255, required=False)
    cost = forms.CharField(max_length=255, required=False, help_text="Shown to visitors, for example “Free” or “€12”.")
    description = forms.CharField(required=False, max_length=MAX_DESCRIPTION, widget=forms.Textarea(attrs={"rows": 8}))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def submit(request: HttpRequest) -> HttpResponse:
    """The form for members, or a link to sign in for guests. A submitted event becomes a draft."""
    if find_type("events") is None:
        raise Http404
    context: dict[str, Any] = {"meta": meta.for_page(title="Submit an event", path=PATH, unlisted=True), "path": PATH}
    if not request.user.is_authenticated:
        return render(request, "events/submit_guest.html", context, status=403 if request.method == "POST" else 200)
    form = EventForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            submit_event(member=request.user, values=form.cleaned_data)
        except TooManyAttempts:
            return render(request, "events/submit_limit.html", context, status=429)
        except Invalid as problem:
            for path, messages in problem.errors.items():
                name = path.split(".")[0]
                for message in messages:
                    form.add_error(name if name in form.fields else None, message)
        else:
            return redirect(f"{PATH}?{SENT}=1")
    context |= {"form": form, "is_sent": SENT in request.GET}
    return render(request, "events/submit.html", context, status=422 if form.errors else 200)
