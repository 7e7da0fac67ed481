"""Fundraisers of supporters: starting one, and changing it by the signed link in emails."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from cms_api.auth.services import visitors
from cms_api.core.errors import Invalid
from cms_api.forms.services.answering import Refused
from commerce.common.types.amounts import typed_amount
from commerce.common.views import add_refusals, errors_of, visitor_form

from ..models import Campaign, Fundraiser
from ..resources.pages import thermometer_of
from ..selectors.campaigns import progress_of, takes_donations
from ..selectors.links import FUNDRAISER_LINK, campaign_path, fundraiser_path
from ..services import save_fundraiser, start_fundraiser
from ..types.donations import FundraiserStatus
from .forms import FundraiserForm
from .give import ROBOT_NOTICE
from .pages import cause_or_404

PURPOSE = "fundraisers"
#: Fundraisers of one address in an hour.
FUNDRAISERS_PER_HOUR = 5
SUBMITTED = "Thank you! We'll email you when your fundraiser is approved."
PUBLISHED = "Your fundraiser is online."
SAVED = "Your changes have been saved."
#: Its organizer can change one in any of these.
EDITABLE = (FundraiserStatus.PENDING, FundraiserStatus.PUBLISHED)


@cache_control(private=True, no_store=True)
@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest, campaign: str) -> HttpResponse:
    """The form that starts a fundraiser for a campaign."""
    found, _ = cause_or_404(campaign)
    if found is None or not found.has_fundraisers:
        raise Http404
    if not takes_donations(found):
        return redirect(campaign_path(found))
    user = request.user
    known = {"organizer": user.get_full_name(), "email": user.email} if user.is_authenticated else {}
    form = FundraiserForm(request.POST if request.method == "POST" else None, initial=known)
    return visitor_form(
        request,
        form,
        "donations/start_fundraiser.html",
        purpose=PURPOSE,
        carry_out=lambda visit: _start(request, found, form, visit),
        context={"campaign": found, "campaign_path": campaign_path(found)},
        places={"goal_cents": "goal"},
    )


def _start(request: HttpRequest, campaign: Campaign, form: FundraiserForm, visit: visitors.Visit) -> HttpResponse:
    """Start the fundraiser. Raises Robot, Stale, TooManyAttempts and Invalid."""
    texts = [form.cleaned_data["name"], form.cleaned_data["story"]]
    if visitors.judge(purpose=PURPOSE, visit=visit, texts=texts):
        raise Refused(ROBOT_NOTICE)
    visitors.limit(purpose=f"{PURPOSE}:made", address=visit.address, an_hour=FUNDRAISERS_PER_HOUR)
    fundraiser = start_fundraiser(values=form.values(), campaign=campaign, user=request.user)
    is_public = fundraiser.status == FundraiserStatus.PUBLISHED
    messages.success(request, PUBLISHED if is_public else SUBMITTED)
    return redirect(FUNDRAISER_LINK.path(fundraiser))


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, token: str) -> HttpResponse:
    """How a fundraiser stands, and the form in which its organizer changes it."""
    fundraiser = FUNDRAISER_LINK.get(Fundraiser.objects.select_related("campaign"), token)
    return _edit(request, fundraiser)


def _edit(request: HttpRequest, fundraiser: Fundraiser) -> HttpResponse:
    can_edit = fundraiser.status in EDITABLE
    form = FundraiserForm(request.POST if request.method == "POST" and can_edit else None, initial=_get_initial(fundraiser))
    # With another address, anybody who has the link would take the page over from its organizer.
    form.fields["email"].disabled = True
    form.fields["email"].help_text = "Not shown. Contact us to change it."
    if form.is_valid():
        try:
            save_fundraiser(values=form.values(), fundraiser=fundraiser)
        except Invalid as refusal:
            add_refusals(form, refusal.errors, {"goal_cents": "goal"})
        else:
            messages.success(request, SAVED)
            return redirect(FUNDRAISER_LINK.path(fundraiser))
    errors = errors_of(form)
    is_public = fundraiser.is_public and fundraiser.campaign.is_visible
    shown = {
        "fundraiser": fundraiser,
        "form": form if can_edit else None,
        "errors": errors,
        "public_path": fundraiser_path(fundraiser) if is_public else "",
        "thermometer": thermometer_of(progress_of(fundraiser)),
    }
    return render(request, "donations/edit_fundraiser.html", shown, status=422 if errors else 200)


def _get_initial(fundraiser: Fundraiser) -> dict[str, Any]:
    goal = typed_amount(fundraiser.goal_cents) if fundraiser.goal_cents else ""
    return {
        "name": fundraiser.name,
        "story": fundraiser.story,
        "goal": goal,
        "organizer": fundraiser.organizer,
        "email": fundraiser.email,
    }
