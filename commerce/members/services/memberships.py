"""Joining, choosing a plan, cancelling and rejoining, for visitors, commands and the admin.

Repeated requests, even concurrent ones, change nothing and emit no second event.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone
from wagtail.log_actions import log
from wagtail.search.backends import get_search_backend

from cms_api.accounts.selectors import find_confirmed_account, has_confirmed_address
from cms_api.accounts.services import invite_member
from cms_api.accounts.types import read_member_address
from cms_api.core.errors import Invalid, invalid_choice
from cms_api.core.locks import block_deletion
from cms_api.flags.selectors import is_on
from cms_api.flags.services import notify
from cms_api.webhooks.services import emit

from ..models import Member, Plan
from ..selectors import SHOWN, has_paid_days, has_paid_time, today
from ..types import FEATURE, Choice, MemberStatus
from . import notices
from .payments import close_later, start_plan
from .periods import PERIOD, carry, keep_plan, leave_at_end, set_plan

GONE = "This membership no longer exists."


@dataclass(frozen=True, slots=True)
class Joined:
    member: Member
    #: False if they had joined before.
    is_new: bool


@transaction.atomic
def join(*, account: User, user: Any = None) -> Joined:
    """Make an account a member without a plan; one that cancelled stays cancelled. `user` is the acting one, if another.

    Raises Invalid (`email`) if the account's address is not confirmed.
    """
    if not has_confirmed_address(account):
        raise Invalid({"email": "Confirm your email address first."})
    now = timezone.now()
    try:
        with transaction.atomic():
            member = Member.objects.create(user=account, joined_at=now, created_at=now, updated_at=now)
    except IntegrityError:
        return Joined(Member.objects.select_related(*SHOWN).get(user=account), is_new=False)
    get_search_backend().add(member)
    log(instance=member, action="members.join", user=user or account)
    _welcome(member)
    notify("members.joined", member)
    return Joined(member, is_new=True)


def follow_account(user: User, is_new: bool) -> None:
    """Make a newly confirmed account a member while the feature is on; update a member whose name may have changed."""
    if is_new and is_on(FEATURE):
        join(account=user)
        return
    for member in Member.objects.select_related("user").filter(user=user):
        get_search_backend().add(member)


@transaction.atomic
def add_member(*, email: str, name: str = "", user: Any = None) -> Member:
    """Add a member on behalf of staff; if there is no account, one is created and its owner notified by email.

    Raises Invalid (`email`, `name`), also if the address belongs to a member or an editor.
    """
    account = find_confirmed_account(read_member_address(email))
    if account is not None and Member.objects.filter(user=account).exists():
        raise Invalid({"email": "A member with this email address already exists."})
    member = join(account=invite_member(email=email, name=name), user=user).member
    log(instance=member, action="wagtail.create", user=user)
    return member


@transaction.atomic
def choose_plan(*, member: Member, plan: Plan | None) -> Choice:
    """Set a member's plan as the member wishes; one with a price waits for its payment, online or confirmed by staff.

    Leaving a plan that has been paid for days to come lets it run to their end; one that was paid once ends now.

    Raises Invalid as `change_plan` does.
    """
    locked = _lock_active(member)
    is_own = plan is not None and plan.pk == locked.plan_id
    if not is_own and (plan is None or plan.is_free) and has_paid_days(locked):
        return _leave(locked, plan)
    if plan is None or plan.is_free or is_own:
        return Choice.CHANGED if change_plan(member=locked, plan=plan) else Choice.UNCHANGED
    if plan.pk == locked.requested_plan_id:
        return Choice.UNCHANGED
    locked.requested_plan, locked.updated_at = _lock_offered(plan), timezone.now()
    locked.save(update_fields=["requested_plan", "updated_at"])
    close_later(locked)
    log(instance=locked, action="members.request_plan", user=locked.user, data={"plan": plan.name})
    notices.record(locked, f"Asked for the plan {plan.name}")
    return Choice.REQUESTED


def _leave(locked: Member, plan: Plan | None, *, user: Any = None) -> Choice:
    following = _lock_offered(plan) if plan is not None else None
    is_asked = locked.is_ending and locked.next_plan_id == (following.pk if following else None)
    if is_asked and locked.requested_plan_id is None:
        return Choice.UNCHANGED
    leave_at_end(locked, following, user=user)
    close_later(locked)
    return Choice.ENDING


@transaction.atomic
def confirm_payment(*, member: Member, user: Any) -> bool:
    """Give a member the plan that waited for its payment, paid from today on; return False if none does.

    Raises Invalid as `change_plan` does.
    """
    locked = _lock_active(member)
    if locked.requested_plan is None:
        return False
    plan = _lock_offered(locked.requested_plan)
    start_plan(locked, plan, plan.rate, user=user)
    close_later(locked)
    return True


@transaction.atomic
def decline_plan(*, member: Member, user: Any) -> bool:
    """Remove the plan that waits for its payment; return False if none does. Raises Invalid as `change_plan` does."""
    locked = _lock_active(member)
    if locked.requested_plan is None:
        return False
    name = locked.requested_plan.name
    locked.requested_plan, locked.updated_at = None, timezone.now()
    locked.save(update_fields=["requested_plan", "updated_at"])
    log(instance=locked, action="members.decline_plan", user=user, data={"plan": name})
    close_later(locked)
    return True


@transaction.atomic
def change_plan(*, member: Member, plan: Plan | None, user: Any = None) -> bool:
    """Set or remove a member's plan, which then waits for no payment and does not end; return False if unchanged.

    A plan that has been paid for days to come runs to their end before it is removed, or followed by one without a price, unless
    it is set again. Another plan with a price lasts for as many days as they were worth.
    Raises Invalid: `plan` if it is not offered, `status` if the member has cancelled or is gone.
    """
    locked = _lock_active(member)
    same = locked.plan_id == (plan.pk if plan else None)
    if same and locked.is_ending:
        keep_plan(locked, user=user)
        close_later(locked)
        return True
    if not same and (plan is None or plan.is_free) and has_paid_days(locked):
        return _leave(locked, plan, user=user) == Choice.ENDING
    if same and locked.requested_plan_id is None:
        return False
    if plan is not None and not same:
        plan = _lock_offered(plan)
    locked.requested_plan, locked.updated_at = None, timezone.now()
    if not same:
        carried = carry(locked, plan, plan.rate) if plan is not None else 0
        end = today() + timedelta(days=carried) if carried else None
        set_plan(locked, plan, paid_until=end, billing_day=end.day if end else None)
    locked.save(update_fields=[*PERIOD, "requested_plan"])
    close_later(locked)
    if same:
        return True
    name = plan.name if plan else ""
    log(instance=locked, action="members.change_plan", user=user or locked.user, data={"plan": name})
    notices.record(locked, f"Changed to the plan {name}" if plan else "Left the plan")
    return True


@transaction.atomic
def end_plan(*, member: Member, user: Any) -> bool:
    """End a member's plan at once, with the time that has been paid for; return False without one.

    Raises Invalid as `change_plan` does.
    """
    locked = _lock_active(member)
    if locked.plan is None:
        return False
    name = locked.plan.name
    set_plan(locked, None)
    locked.save(update_fields=PERIOD)
    close_later(locked)
    log(instance=locked, action="members.end_plan", user=user, data={"plan": name})
    notices.record(locked, f"The plan {name} was ended")
    return True


@transaction.atomic
def cancel(*, member: Member, user: Any = None) -> bool:
    """Cancel a membership; return False if already cancelled. The plan stays on record."""
    locked = _lock(member)
    if locked is None or not locked.is_active:
        return False
    _end(locked)
    locked.save(update_fields=["status", "cancelled_at", "requested_plan", "updated_at"])
    log(instance=locked, action="members.cancel", user=user or locked.user)
    close_later(locked)
    emit("member.cancelled", locked)
    notices.record(locked, "Cancelled the membership")
    notices.send_cancelled(locked)
    return True


def follow_deletion(member: Member) -> None:
    """End a membership whose row is about to be deleted, by itself or with its account, in the same transaction.

    The event shows it as cancelled; members who had already cancelled emit no second one. No email is sent, as the account
    may be gone. The account is locked before the member, as when somebody confirms an address and then joins. The activity
    is recorded after commit: when several accounts are deleted together, further accounts are locked later, and contacts
    must be locked after accounts.
    """
    _lock_account(member)
    locked = _lock(member)
    if locked is None:
        return
    get_search_backend().delete(locked)
    close_later(locked)
    if locked.is_active:
        _end(locked)
        emit("member.cancelled", locked)

        # A partial has no name, under which Django would log its failure.
        def record() -> None:
            notices.record_deletion(locked)

        transaction.on_commit(record, robust=True)


@transaction.atomic
def delete_member(*, member: Member, user: Any = None) -> None:
    """Delete a membership with its data, such as points; the account stays and may join again.

    Deleting an active membership cancels it and notifies the member by email.
    """
    _lock_account(member)
    locked = _lock(member)
    if locked is None:
        return
    log(instance=locked, action="wagtail.delete", user=user, deleted=True)
    if locked.is_active:
        notices.send_cancelled(locked)
    locked.delete()


@transaction.atomic
def rejoin(*, member: Member, user: Any = None) -> bool:
    """Reactivate a cancelled membership, with its former plan if still offered; return False if it was not cancelled.

    A plan with a price comes back if it is paid for days to come, or once, or if staff reinstate the membership: otherwise a new
    payment is due. Raises Invalid (`status`) if the member is gone.
    """
    locked = _lock(member)
    if locked is None:
        raise Invalid({"status": GONE})
    if locked.is_active:
        return False
    locked.status, locked.cancelled_at, locked.updated_at = MemberStatus.ACTIVE, None, timezone.now()
    comes_back = locked.plan is not None and (user or locked.plan.is_free) and locked.plan.enabled
    if not comes_back and not has_paid_time(locked):
        set_plan(locked, None)
    elif locked.paid_until and locked.paid_until < today():
        set_plan(locked, locked.plan)
    locked.requested_plan = None
    locked.save()
    log(instance=locked, action="members.rejoin", user=user or locked.user)
    _welcome(locked)
    return True


def _lock(member: Member) -> Member | None:
    """Return the current row, locked; None if it is gone."""
    # The account first, as when it is deleted: the history refers to it.
    block_deletion(get_user_model(), [member.user_id])
    rows = Member.objects.select_for_update(of=("self",), no_key=True).select_related(*SHOWN)
    return rows.filter(pk=member.pk).first()


def _lock_active(member: Member) -> Member:
    locked = _lock(member)
    if locked is None:
        raise Invalid({"status": GONE})
    if not locked.is_active:
        raise Invalid({"status": "The membership has been cancelled."})
    return locked


def _lock_offered(plan: Plan) -> Plan:
    """Return the plan, locked so that it is not deleted in the meantime. Raises Invalid if it is not offered."""
    offered = Plan.objects.select_for_update(no_key=True).filter(pk=plan.pk, enabled=True).first()
    if offered is None:
        raise Invalid({"plan": invalid_choice("plan")})
    return offered


def _lock_account(member: Member) -> None:
    list(get_user_model().objects.select_for_update().filter(pk=member.user_id).values_list("pk"))


def _end(member: Member) -> None:
    now = timezone.now()
    member.status, member.cancelled_at, member.updated_at = MemberStatus.CANCELLED, now, now
    member.requested_plan = None


def _welcome(member: Member) -> None:
    """Create the contact, record the activity, emit the event and send the welcome email of a new membership."""
    emit("member.created", member)
    notices.capture(member)
    notices.record(member, "Became a member")
    notices.send_welcome(member)
