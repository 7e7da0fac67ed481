"""The public page of plans, and the page on which members join, choose a plan, cancel and rejoin."""

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from cms_api.accounts.selectors import has_confirmed_address
from cms_api.core.errors import Invalid
from cms_api.flags.selectors import VERSION as FLAGS
from cms_api.flags.selectors import get_setting
from cms_api.http import page_cache
from commerce.common.resources.pages import meta
from commerce.payments.selectors import is_being_paid, payment_path, payment_refusal, received_words
from commerce.payments.services import start_payment
from commerce.payments.views import redirect_to_payment

from . import selectors
from .models import Member, Plan
from .services import cancel, choose_plan, join, rejoin
from .types import PAYABLE, Choice

TITLE = "Membership"
CHOICES = {
    Choice.CHANGED: "Your plan has been changed.",
    Choice.REQUESTED: "Your plan starts once we've received your payment.",
    Choice.ENDING: "Your plan runs to its end, and isn't renewed.",
    Choice.UNCHANGED: "No changes were made.",
}
TERMS_CHANGED = "The plan has changed in the meantime. Check it before you go on."
INTRODUCTION = "Become a member. You can change your plan or cancel at any time."


@require_safe
def plans(request: HttpRequest) -> HttpResponse:
    """The plans on offer."""
    page_cache.enable()
    page_cache.depends_on(selectors.VERSION, FLAGS)
    path = reverse("plans")
    shown = {
        "meta": meta.for_page(title=TITLE, path=path, description=INTRODUCTION),
        "introduction": INTRODUCTION,
        "plans": [(plan, _plan_url(request, plan)) for plan in selectors.offered_plans()],
        "join_url": _plan_url(request),
    }
    return render(request, "members/plans.html", shown)


def _plan_url(request: HttpRequest, plan: Plan | None = None) -> str:
    """Return the URL where a plan is chosen; guests sign up first."""
    chosen = reverse("membership") + (f"?{urlencode({'plan': plan.slug})}" if plan else "")
    return chosen if request.user.is_authenticated else f"{reverse('account_signup')}?{urlencode({'next': chosen})}"


class PlanForm(forms.Form):
    """The plans a member can choose, by slug: those on offer, and their own."""

    plan = forms.ChoiceField(
        required=False, error_messages={"invalid_choice": "This plan isn't offered any more. Choose another one."}
    )

    def __init__(self, *args: Any, member: Member | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        current = member.plan_id if member and (member.is_active or selectors.has_paid_time(member)) else None
        self.known = {plan.slug: plan for plan in Plan.objects.filter(Q(enabled=True) | Q(pk=current))}
        choice: Any = self.fields["plan"]
        choice.choices = [("", "No plan"), *((plan.slug, plan.name) for plan in self.known.values())]

    @property
    def plans(self) -> list[tuple[Plan, bool]]:
        """Return each plan with whether it is selected."""
        chosen = self["plan"].value() or ""
        return [(plan, slug == chosen) for slug, plan in self.known.items()]

    @property
    def chosen(self) -> Plan | None:
        return self.known.get(self.cleaned_data["plan"])


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def membership(request: HttpRequest) -> HttpResponse:
    """The user's membership. A POST creates it if needed, and sets the plan."""
    user: Any = request.user
    member = selectors.membership_of(user)
    asked = selectors.offered_plans().filter(slug=_text(request.GET.get("plan", ""))).first()
    requested = member.requested_plan if member and member.is_active else None
    kept = member and (member.next_plan if member.is_ending else member.plan)
    chosen = asked or requested or kept
    data = request.POST if request.method == "POST" else None
    form = PlanForm(data, member=member, initial={"plan": chosen.slug if chosen else ""})
    if data is not None and form.is_valid():
        change = _change_of_paid_time(member, form.chosen)
        if change and data.get("confirmed") != change["terms"]:
            shown = {"member": member, "plan": form.chosen, "notice": TERMS_CHANGED if "confirmed" in data else "", **change}
            return render(request, "members/change_plan.html", shown)
        try:
            said, choice = _choose(request, form.chosen)
            member = selectors.membership_of(user)
            if choice == Choice.REQUESTED and _can_pay(member):
                return _lead_to_payment(request, member)
            messages.success(request, said)
            return redirect("membership")
        except Invalid as refusal:
            form.add_error(None, refusal.message)
    shown = {
        "form": form,
        "member": member,
        "asked": asked if not member or asked not in (member.plan, requested) else None,
        "requested": requested,
        "how_to_pay": get_setting("members.how_to_pay"),
        "can_pay": _can_pay(member),
        "can_renew": member is not None and selectors.can_renew(member),
        **_paid_meanwhile(member),
        "is_confirmed": has_confirmed_address(user),
    }
    return render(request, "members/membership.html", shown, status=422 if form.errors else 200)


def _can_pay(member: Member | None) -> bool:
    """Return whether the plan that a member asks for, or else has, can be paid online now."""
    plan = (member.requested_plan or member.plan) if member else None
    return plan is not None and not payment_refusal(plan.price)


def _paid_meanwhile(member: Member | None) -> dict[str, Any]:
    """Return whether a member's payment is on its way, and the words about money that waits to be applied.

    In both cases, nothing is to be paid now.
    """
    if member is None:
        return {}
    return {"is_processing": is_being_paid(PAYABLE, member.pk), "received": received_words(PAYABLE, member.pk)}


def _change_of_paid_time(member: Member | None, plan: Plan | None) -> dict[str, Any]:
    """Return what becomes of time that a member has paid for, if another plan changes that: to be confirmed first.

    `terms` is what the form of the confirmation sends back; other terms are asked for again.
    """
    if member is None or not selectors.has_paid_time(member) or member.plan is None or (plan and plan.pk == member.plan_id):
        return {}
    if plan is None or plan.is_free:
        return {} if member.is_ending and member.next_plan == plan else {"leaves": True, "terms": "1"}
    carried = selectors.carried_days(member, plan)
    return {"carried": carried, "terms": f"{plan.price_words}, {carried}"}


def _text(value: str) -> str:
    return value.replace("\0", "")


@transaction.atomic
def _choose(request: HttpRequest, plan: Plan | None) -> tuple[str, Choice]:
    """Joins or rejoins and sets the plan; returns the message to show, and what became of the plan."""
    user: Any = request.user
    joined = join(account=user)
    has_begun = joined.is_new or rejoin(member=joined.member)
    choice = choose_plan(member=joined.member, plan=plan)
    welcome = "Welcome! You're now a member." if has_begun else ""
    said = " ".join(filter(None, (welcome, "" if welcome and choice != Choice.REQUESTED else CHOICES[choice])))
    return said, choice


def _lead_to_payment(request: HttpRequest, member: Member | None) -> HttpResponse:
    """Leads to the payment page of what the member has to pay; says why not if there is none."""
    if member is None:
        return redirect("membership")
    return redirect_to_payment(request, payable=PAYABLE, record_id=member.pk, back="membership")


@login_required
@require_POST
def pay(request: HttpRequest) -> HttpResponse:
    """Leads to paying for the plan that waits for its payment, or for the renewal of the user's plan."""
    return _lead_to_payment(request, selectors.membership_of(request.user))


@require_http_methods(["GET", "HEAD", "POST"])
def pay_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """The page linked from reminders: says what is to be paid, and leads to paying it."""
    member = selectors.PAY_LINK.get(selectors.members(), token)
    error = ""
    try:
        if request.method == "POST":
            payment = start_payment(payable=PAYABLE, record_id=member.pk)
            return HttpResponseRedirect(payment_path(payment), status=303)
    except Invalid as refusal:
        error = refusal.message
    plan = member.requested_plan or member.plan
    is_due = member.is_active and (member.requested_plan is not None or selectors.can_renew(member))
    shown = {"member": member, "plan": plan, "is_due": is_due, "can_pay": _can_pay(member), "error": error}
    shown |= _paid_meanwhile(member)
    return render(request, "members/pay.html", shown, status=422 if error else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def cancel_membership(request: HttpRequest) -> HttpResponse:
    """Asks for confirmation; a POST cancels the membership."""
    member = selectors.membership_of(request.user)
    if member is None or not member.is_active:
        return redirect("membership")
    if request.method == "POST":
        cancel(member=member)
        messages.success(request, "Your membership has been cancelled.")
        return redirect("membership")
    return render(request, "members/cancel.html", {"member": member, "has_paid_time": selectors.has_paid_time(member)})
