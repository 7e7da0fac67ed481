"""Writing a review: about the business on a public form, and about what a customer has bought by an invitation's link."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from cms_api.auth.services.visitors import Visit
from cms_api.core.errors import Invalid, found_or_404, required_message
from cms_api.core.identifiers import read_id
from cms_api.flags.selectors import get_setting
from cms_api.forms.services.answering import answer_form, stamp_of
from cms_api.forms.types import FormField
from cms_api.forms.types.inputs import read_inputs, show_inputs

from ..models import Invitation
from ..selectors import DECLINE_LINK, INVITATION_LINK, bonus_text, find_subject, is_opted_out, reviewed_with
from ..services import decline_invitations, submit_review
from ..services.submitting import AGAIN, PURPOSE
from ..types import MAX_BODY, RATING_LABELS, Subject, SubjectKind

THANKS = "Thank you! Your review will appear once it's approved."

#: The options of the rating, as the form shows and submits them.
OPTIONS = {f"{rating} star{'' if rating == 1 else 's'}: {label}": rating for rating, label in RATING_LABELS.items()}
RATING = FormField("rating", "Your rating", "radio", required=True, options=tuple(OPTIONS))
TEXTS = (
    FormField("title", "Title", "text"),
    FormField("body", "Your review", "textarea", required=True, help_text=f"Plain text, up to {MAX_BODY:,} characters."),
    FormField("author_name", "Your name", "text", required=True, help_text="Shown with your review."),
)
EMAIL = FormField("author_email", "Your email address", "email", required=True, help_text="Not published.")


def business() -> str:
    """Return the option for a review of the business itself."""
    return f"{get_setting('site.name') or 'Our business'}, as a whole"


class Writing:
    """A review that is being written: about one of the `choices`, which are subjects by name; None is the business."""

    def __init__(self, request: HttpRequest, invitation: Invitation | None, choices: Mapping[str, Subject | None]) -> None:
        self.request, self.invitation, self.choices = request, invitation, choices
        about = FormField("subject", "What are you reviewing?", "radio", required=True, options=tuple(choices))
        self.fields = (*([about] if len(choices) > 1 else []), RATING, *TEXTS, *([] if invitation else [EMAIL]))
        sent = request.POST if request.method == "POST" else None
        self.typed = read_inputs(self.fields, sent) if sent is not None else self._get_initial()

    def _get_initial(self) -> dict[str, Any]:
        user = self.request.user
        if self.invitation:
            return {"author_name": self.invitation.name, "subject": next(iter(self.choices), None)}
        return {"author_name": user.get_full_name(), "author_email": user.email} if user.is_authenticated else {}

    def answer(self, lead_on: Callable[[], HttpResponse]) -> HttpResponse:
        """Show the form, or store the review and lead on."""

        def store(visit: Visit) -> HttpResponse:
            values = {**self.typed, "rating": OPTIONS.get(self.typed.get("rating") or "", self.typed.get("rating"))}
            submit_review(values=values, visit=visit, invitation=self.invitation, subject=self._subject())
            return lead_on()

        if self.request.method != "POST":
            return self.page()
        return answer_form(self.request, carry_out=store, show=self.page)

    def _subject(self) -> Subject | None:
        """Return what the review is about. Raises Invalid if nothing is chosen, or if that was reviewed in the meantime."""
        name = self.request.POST.get("subject", "")
        if name in self.choices:
            return self.choices[name]
        if name or len(self.choices) > 1:
            raise Invalid({"subject": AGAIN if name else required_message("subject")})
        return next(iter(self.choices.values()))

    def page(self, *, errors: Mapping[str, Sequence[str]] | None = None, notice: str = "", status: int = 200) -> HttpResponse:
        wrong = errors or {}
        inputs, listed = show_inputs(self.fields, self.typed, wrong, id_prefix="review")
        if "subject" in wrong and len(self.choices) < 2:
            notice = wrong["subject"][0]
        only = next(iter(self.choices.values())) if len(self.choices) == 1 else None
        shown = {
            "inputs": inputs,
            "errors": listed,
            "notice": notice,
            "stamp": stamp_of(self.request, PURPOSE, notice=notice),
            "bonus": bonus_text(),
            "subject": only,
            "decline_path": DECLINE_LINK.path(self.invitation) if self.invitation else "",
        }
        return render(self.request, "reviews/write.html", shown, status=status)


@cache_control(private=True, no_store=True)
@require_http_methods(["GET", "HEAD", "POST"])
def write(request: HttpRequest) -> HttpResponse:
    """The form for a review of the business, or of the listing of the directory that is named by `?listing=`."""
    writing = Writing(request, None, _listing(request.GET["listing"]) if "listing" in request.GET else {business(): None})
    return writing.answer(lambda: redirect("review_thanks"))


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

    return Writing(request, invitation, choices).answer(thank)


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
