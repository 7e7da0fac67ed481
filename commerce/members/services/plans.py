"""Creates, changes and deletes plans."""

from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.text import slugify
from django_q.tasks import async_task
from wagtail.log_actions import log

from cms_api.core import versions
from cms_api.core.errors import Invalid, invalid_choice, required_message, taken_message
from cms_api.core.locks import get_row
from cms_api.core.records import lock_or_build, set_values, store_record
from commerce.common.services.checks import amount_refusal, is_amount, steps_refusal
from commerce.common.types.money import Money, is_payable
from commerce.payments.selectors import live_payments
from commerce.payments.services import close_payments

from ..models import Member, Plan
from ..selectors import VERSION
from ..types import MAX_DESCRIPTION, MAX_PLAN_NAME, MAX_POSITION, MAX_SLUG, PAYABLE, Interval
from .payments import terms

ATTRIBUTES = ("name", "slug", "description", "price_cents", "currency", "interval", "enabled", "position")


#: A task that closes payment pages of a plan, and how many it closes before the next one.
TASK = "commerce.members.services.plans.close_pages"
_BATCH_ROWS = 50


@transaction.atomic
def save_plan(*, values: dict[str, Any], plan: Plan | None = None, user: Any = None) -> Plan:
    """Create or change a plan; values not given are unchanged. A new plan's slug defaults to one made from its name.

    `price_cents` is in minor units of `currency`, which defaults to the site's. Payment pages that ask for a former price are
    closed. Raises Invalid by attribute.
    """
    now = timezone.now()
    saved = lock_or_build(Plan, plan, created_at=now, currency=settings.SITE_CURRENCY)
    former_rate = saved.rate
    set_values(saved, values, ATTRIBUTES)
    saved.slug = saved.slug or slugify(saved.name)[:MAX_SLUG]
    saved.updated_at = now
    _check(saved)
    store_record(saved, user=user, refusal={"slug": taken_message("slug")}, version=VERSION)
    if plan is not None and former_rate != saved.rate:
        async_task(TASK, saved.pk)
    return saved


def close_pages(plan_id: int, after: int = 0) -> None:
    """Close the payment pages of a plan that ask for a former price. Money that arrives all the same is applied if it can be."""
    plan = Plan.objects.filter(pk=plan_id).first()
    if plan is None:
        return
    members = Member.objects.filter(Q(requested_plan=plan) | Q(requested_plan=None, plan=plan))
    pages = live_payments(PAYABLE).filter(pk__gt=after, record_id__in=members.values("pk"))
    former = pages.exclude(purpose__endswith=f":{terms(plan)}", currency=plan.currency).order_by("pk")
    found = list(former[:_BATCH_ROWS])
    for payment in found:
        close_payments(payable=PAYABLE, record_id=payment.record_id)
    if len(found) == _BATCH_ROWS:
        async_task(TASK, plan_id, found[-1].pk)


def _check(plan: Plan) -> None:
    errors: dict[str, str] = {}
    if not plan.name.strip():
        errors["name"] = required_message("name")
    elif len(plan.name) > MAX_PLAN_NAME or not plan.name.isprintable():
        errors["name"] = f"The name must be one line of at most {MAX_PLAN_NAME} characters."
    elif slugify(plan.slug) != plan.slug or not plan.slug:
        errors["slug"] = "The slug must be made of letters, digits, hyphens and underscores."
    if len(plan.description) > MAX_DESCRIPTION or "\0" in plan.description:
        errors["description"] = f"The description may not be greater than {MAX_DESCRIPTION} characters."
    if not is_amount(plan.price_cents):
        errors["price_cents"] = amount_refusal(plan.price_cents, "price")
    if not 0 <= plan.position <= MAX_POSITION:
        errors["position"] = f"The position must be a number between 0 and {MAX_POSITION}."
    if plan.interval not in Interval.values:
        errors["interval"] = invalid_choice("interval")
    try:
        Money(0, plan.currency)
    except ValueError:
        errors["currency"] = invalid_choice("currency")
    else:
        if not is_payable(plan.price_cents, plan.currency):
            errors.setdefault("price_cents", steps_refusal(plan.currency))
    if errors:
        raise Invalid(errors)


@transaction.atomic
def delete_plan(*, plan: Plan, user: Any = None) -> None:
    """Delete a plan. Raises Invalid (`plan`) while a member has it or gets it next, or had it when they cancelled."""
    locked = get_row(Plan.objects.select_for_update(), plan.pk)
    if Member.objects.filter(Q(plan=locked) | Q(requested_plan=locked) | Q(next_plan=locked)).exists():
        raise Invalid({"plan": "This plan has members. Disable it instead: they keep it, and nobody else can choose it."})
    log(instance=locked, action="wagtail.delete", user=user, deleted=True)
    versions.bump(VERSION)
    locked.delete()
