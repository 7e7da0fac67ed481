"""Writing a review: about the business on a public form, and about what a customer has bought by an invitation's link."""

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from cms_api.auth.services.visitors import Visit
from cms_api.core.identifiers import read_id
from cms_api.core.not_found import found_or_404
from cms_api.flags.selectors import get_setting
from cms_api.forms.services.answering import Refused
from commerce.common.types import MAX_EMAIL
from commerce.common.views import RadioButtons, known_visitor, visitor_form

from ..models import Invitation
from ..selectors import DECLINE_LINK, INVITATION_LINK, bonus_text, find_subject, is_opted_out, reviewed_with
from ..services import decline_invitations, submit_review
from ..services.submitting import AGAIN, PURPOSE
from ..types import MAX_AUTHOR, MAX_BODY, MAX_TITLE, RATING_LABELS, Subject, SubjectKind

THANKS = "Thank you! Your review will appear once it's approved."

#: The options of the rating, as the form shows and submits them.
OPTIONS = {f"{rating} star{'' if rating == 1 else 's'}: {label}": rating for rating, label in RATING_LABELS.items()}


def business() -> str:
    """Return the option for a review of the business itself."""
    return f"{get_setting('site.name') or 'Our business'}, as a whole"


class ReviewForm(forms.Form):
    """A review of one of the `choices`. The address of somebody who `is_invited` is known."""

    subject = forms.ChoiceField(
        label="What are you reviewing?",
        widget=RadioButtons,
        error_messages={"required": "Choose an option for “What are you reviewing?”.", "invalid_choice": AGAIN},
    )
    rating = forms.TypedChoiceField(
        choices=[(option, option) for option in OPTIONS],
        coerce=OPTIONS.__getitem__,
        label="Your rating",
        widget=RadioButtons,
        error_messages=dict.fromkeys(("required", "invalid_choice"), "Choose an option for “Your rating”."),
    )
    title = forms.CharField(max_length=MAX_TITLE, required=False)
    #: The service counts the characters: browsers send the end of a line as two.
    body = forms.CharField(
        label="Your review",
        help_text=f"Plain text, up to {MAX_BODY:,} characters.",
        widget=forms.Textarea({"rows": 6}),
        error_messages={"required": "Enter your review."},
    )
    author_name = forms.CharField(
        max_length=MAX_AUTHOR,
        label="Your name",
        help_text="Shown with your review.",
        error_messages={"required": "Enter your name."},
    )
    author_email = forms.EmailField(
        max_length=MAX_EMAIL,
        label="Your email address",
        help_text="Not published.",
        widget=forms.EmailInput({"autocomplete": "email"}),
        error_messages={"required": "Enter your email address."},
    )

    def __init__(self, *args: Any, choices: Mapping[str, Subject | None], is_invited: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        subject: Any = self.fields["subject"]
        subject.choices = [(name, name) for name in choices]
        if len(choices) == 1:
            del self.fields["subject"]
        if is_invited:
            del self.fields["author_email"]


def _answer(
    request: HttpRequest,
    choices: Mapping[str, Subject | None],
    lead_on: Callable[[], HttpResponse],
    invitation: Invitation | None = None,
) -> HttpResponse:
    """Show the form for a review, or store it and lead on. The `choices` are subjects by name; None is the business."""
    first = next(iter(choices))
    known = {f"author_{name}": value for name, value in known_visitor(request).items()}
    form = ReviewForm(
        request.POST if request.method == "POST" else None,
        initial={"author_name": invitation.name, "subject": first} if invitation else known,
        auto_id="review-%s",
        choices=choices,
        is_invited=invitation is not None,
    )

    def store(visit: Visit) -> HttpResponse:
        name = request.POST.get("subject") or first
        if name not in choices:
            raise Refused(AGAIN)
        submit_review(values=form.cleaned_data, visit=visit, invitation=invitation, subject=choices[name])
        return lead_on()

    context = {
        "bonus": bonus_text(),
        "subject": choices[first] if len(choices) == 1 else None,
        "decline_path": DECLINE_LINK.path(invitation) if invitation else "",
    }
    return visitor_form(request, form, "reviews/write.html", purpose=PURPOSE, carry_out=store, context=context)


@cache_control(private=True, no_store=True)
@require_http_methods(["GET", "HEAD", "POST"])
def write(request: HttpRequest) -> HttpResponse:
    """The form for a review of the business, or of the listing of the directory that is named by `?listing=`."""
    choices = _listing(request.GET["listing"]) if "listing" in request.GET else {business(): None}
    return _answer(request, choices, lambda: redirect("review_thanks"))


def _listing(text: str) -> dict[str, Subject | None]:
    """Return a listing as the only choice. Raises Http404 for an unknown one."""
    pk = read_id(text)
    subject = found_or_404(find_subject(SubjectKind.LISTING, pk) if pk else None)
    return {subject.name: subject}


@require_safe
def thanks(request: HttpRequest) -> HttpResponse:
    return render(request, "reviews/thanks.html", {"thanks": THANKS})


@require_http_methods(["GET", "HEAD", "POST"])
def write_invited(request: HttpRequest, token: str) -> HttpResponse:
    """The form of an invitation, until everything it is about has been reviewed."""
    invitation = INVITATION_LINK.get(Invitation.objects.all(), token)
    return _answer_invitation(request, invitation)


def _answer_invitation(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    done = reviewed_with(invitation)
    choices: dict[str, Subject | None] = {each.name: each for each in invitation.about if (each.kind, each.id) not in done}
    if ("", None) not in done:
        choices[business()] = None
    if not choices:
        return render(request, "reviews/thanks.html", {"thanks": THANKS if done else ""})

    def thank() -> HttpResponse:
        messages.success(request, THANKS)
        return redirect(reverse("review_invitation", args=[INVITATION_LINK.token(invitation)]))

    return _answer(request, choices, thank, invitation)


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def decline(request: HttpRequest, token: str) -> HttpResponse:
    """Asks whether to stop invitations; a POST does it, from the button or a mail program's one-click unsubscribe."""
    invitation = DECLINE_LINK.get(Invitation.objects.all(), token)
    is_done = is_opted_out(invitation.email)
    if request.method == "POST" and not is_done:
        decline_invitations(email=invitation.email)
        is_done = True
    return render(request, "reviews/decline.html", {"email": invitation.email, "is_done": is_done})
