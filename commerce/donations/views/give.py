"""The form for a donation: one page that works without scripts, and leads to the payment page."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from cms_api.auth.services import visitors
from cms_api.core.errors import Invalid
from cms_api.forms.services.answering import Refused, answer_form, stamp_of
from commerce.common.types import full_name
from commerce.common.views import AddressForm, add_refusals, answer_gone, errors_of
from commerce.payments.selectors import is_ready
from commerce.payments.views import redirect_to_payment

from ..models import Campaign, Fundraiser
from ..selectors.campaigns import takes_donations
from ..selectors.donations import DONATION_LINK
from ..selectors.links import cause_path
from ..services import give as make_donation
from ..services.giving import read_gift
from ..types.donations import PAYABLE
from .forms import DonationForm, fee_of
from .pages import cause_or_404

PURPOSE = "donations"
#: Donations of one address in an hour: nobody tries out stolen cards here.
DONATIONS_PER_HOUR = 20
GONE = "This campaign doesn't take donations any more"
ROBOT_NOTICE = "We couldn't process this donation. Wait a moment and try again."
#: The parts of an address whose input asks for it to be complete; the country has a default, and the name is the donor's.
ADDRESS = ("street", "street2", "city", "state", "postal_code")


class Giving:
    """The cause of a request, and the two forms of its page."""

    def __init__(self, request: HttpRequest, campaign: Campaign | None, fundraiser: Fundraiser | None) -> None:
        self.request, self.campaign, self.fundraiser = request, campaign, fundraiser
        data = request.POST if request.method == "POST" else None
        initial = {**self._get_initial(), **DonationForm.initial_of(request.GET, campaign)}
        self.form = DonationForm(campaign, data, initial=initial)
        self.has_address = data is not None and any(data.get(f"address-{part}", "").strip() for part in ADDRESS)
        self.address = self._address()

    def _get_initial(self) -> dict[str, str]:
        user = self.request.user
        if not user.is_authenticated:
            return {}
        first, _, last = user.get_full_name().strip().rpartition(" ")
        return {"email": user.email, "first_name": first, "last_name": last}

    def _address(self) -> AddressForm:
        sent = self.request.POST
        if not self.has_address:
            initial = {"country": sent["address-country"]} if "address-country" in sent else {}
            return AddressForm(prefix="address", section="billing", initial=initial)
        # A donor without a name is asked for it by the other form.
        name = full_name(sent.get("first_name", "").strip(), sent.get("last_name", "").strip()) or "-"
        data = sent.copy()
        data["address-name"] = name[: AddressForm.base_fields["name"].max_length]  # type: ignore[attr-defined]
        return AddressForm(data, prefix="address", section="billing")

    @property
    def back(self) -> str:
        return cause_path(self.campaign, self.fundraiser)

    @property
    def title(self) -> str:
        cause = self.fundraiser or self.campaign
        return f"Donate to {cause.name}" if cause else "Donate"

    @property
    def values(self) -> dict[str, Any]:
        """Return the values that `services.give` takes."""
        return self.form.values(self.address.cleaned_data if self.has_address else None)

    def errors(self) -> list[tuple[str, str]]:
        """Return what is wrong with the input, by the rules of the page and of the service, with the ids of the inputs."""
        asked = [self.form, *([self.address] if self.has_address else [])]
        # All of them are asked, so that everything is said at once.
        are_valid = [each.is_valid() for each in asked]
        if all(are_valid):
            try:
                read_gift(self.values, self.campaign)
            except Invalid as refusal:
                add_refusals(self.form, refusal.errors, self.form.PLACES)
        return errors_of(*asked)


@cache_control(private=True, no_store=True)
@require_http_methods(["GET", "HEAD", "POST"])
def give(request: HttpRequest, campaign: str | None = None, fundraiser: str | None = None) -> HttpResponse:
    """The form for a donation to a fundraiser, a campaign, or the site itself."""
    try:
        cause = cause_or_404(campaign, fundraiser)
    except Http404:
        return answer_gone(request, GONE, others="See other ways to donate", path=reverse("donate"))
    giving = Giving(request, *cause)
    if not takes_donations(giving.campaign, giving.fundraiser):
        return redirect(giving.back)
    return _receive(giving) if request.method == "POST" else _show(giving)


def _receive(giving: Giving) -> HttpResponse:
    if errors := giving.errors():
        return _show(giving, wrong=errors, status=422)
    return answer_form(giving.request, carry_out=partial(_give, giving), show=partial(_show, giving))


def _give(giving: Giving, visit: visitors.Visit) -> HttpResponse:
    request, values = giving.request, giving.values
    texts = [values["message"], giving.form.cleaned_data["tribute_message"]]
    if visitors.judge(purpose=PURPOSE, visit=visit, texts=texts):
        raise Refused(ROBOT_NOTICE)
    visitors.limit(purpose=f"{PURPOSE}:made", address=visit.address, an_hour=DONATIONS_PER_HOUR)
    try:
        donation = make_donation(values=values, campaign=giving.campaign, fundraiser=giving.fundraiser, user=request.user)
    except Invalid as refusal:
        # The page has checked the input; another reason has come up since.
        raise Refused(refusal.message) from refusal
    return redirect_to_payment(request, payable=PAYABLE, record_id=donation.pk, back=DONATION_LINK.path(donation))


def _show(
    giving: Giving, *, wrong: Sequence[tuple[str, str]] = (), errors: object = None, notice: str = "", status: int = 200
) -> HttpResponse:
    request, form = giving.request, giving.form
    context = {
        "giving": giving,
        "form": form,
        "address": [field for field in giving.address if field.name != "name"],
        "campaign": giving.campaign,
        "fundraiser": giving.fundraiser,
        "errors": wrong,
        "notice": notice,
        "fee": fee_of(form.chosen_cents),
        "can_give": is_ready(),
        "stamp": stamp_of(request, PURPOSE, notice=notice),
    }
    return render(request, "donations/give.html", context, status=status)
