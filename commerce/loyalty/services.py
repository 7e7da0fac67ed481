"""Awards and spends points: writes a ledger entry and the member's balance in one transaction.

Database constraints ensure that an entry with a reference is written once, and that a balance never becomes negative.
"""

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid, required_message
from cms_api.flags.selectors import get_setting, is_on
from commerce.members.models import Member
from commerce.members.selectors import find_member
from commerce.members.types import MemberStatus

from .models import PointsBalance, PointsEntry
from .types import ADJUSTMENT, FEATURE, MAX_NOTE, MAX_POINTS, REVIEW, SIGNUP

SHORT = "Not enough points."


@transaction.atomic
def award(*, member: Member, points: int, reason: str, reference: str = "", note: str = "") -> bool:
    """Award points; return False if already awarded for the same `reason` and `reference`, or if the member has cancelled.

    A reference, such as `review:318`, makes the call idempotent. Raises Invalid (`points`).
    """
    _check(points, least=1)
    active = Member.objects.select_for_update(no_key=True).filter(pk=member.pk, status=MemberStatus.ACTIVE)
    return active.first() is not None and _write(member, points, reason, reference, note)


@transaction.atomic
def spend(*, member: Member, points: int, reason: str, reference: str = "", note: str = "") -> bool:
    """Spend points (a positive number); return False if already spent for the same `reason` and `reference`.

    Raises Invalid (`points`) if the balance is too low.
    """
    _check(points, least=1)
    return _write(member, -points, reason, reference, note)


@transaction.atomic
def adjust(*, member: Member, points: int, note: str, user: Any) -> None:
    """Adjust points by hand, up or down; also for members who have cancelled.

    Raises Invalid (`points`, `note`).
    """
    _check(points, least=-MAX_POINTS)
    note = " ".join(note.split())
    if not note:
        raise Invalid({"note": required_message("note")})
    if len(note) > MAX_NOTE or not note.isprintable():
        raise Invalid({"note": f"The note must be one line of at most {MAX_NOTE} characters."})
    _write(member, points, ADJUSTMENT, "", note, user)
    log(
        instance=PointsBalance.objects.get(member=member),
        action="loyalty.adjust",
        user=user,
        data={"points": points, "note": note},
    )


def _check(points: int, *, least: int) -> None:
    if not points or not least <= points <= MAX_POINTS:
        raise Invalid({"points": f"The points must be a whole number other than 0, of at most {MAX_POINTS}."})


def _write(member: Member, points: int, reason: str, reference: str, note: str, user: Any = None) -> bool:
    """Write an entry and the balance. Must be called in a transaction, which is rolled back on error."""
    now = timezone.now()
    entry = PointsEntry(member=member, points=points, reason=reason, reference=reference, note=note, user=user, created_at=now)
    try:
        with transaction.atomic():
            entry.save()
    except IntegrityError:
        return False
    PointsBalance.objects.bulk_create([PointsBalance(member=member, updated_at=now)], ignore_conflicts=True)
    enough = PointsBalance.objects.filter(member=member, points__gte=-points)
    if not enough.update(points=F("points") + points, updated_at=now):
        raise Invalid({"points": SHORT})
    return True


def award_by_email(*, email: str, points: int, reason: str, reference: str = "", note: str = "") -> bool:
    """`award` to the member with this confirmed address; False if there is none, or the feature is off."""
    member = find_member(email) if is_on(FEATURE) else None
    return member is not None and award(member=member, points=points, reason=reason, reference=reference, note=note)


def award_review_bonus(*, email: str, review_id: int) -> bool:
    """Award the bonus of an approved review, at most once per review; the setting gives the number of points."""
    points = _bonus("loyalty.review_bonus_points")
    return points > 0 and award_by_email(email=email, points=points, reason=REVIEW, reference=f"review:{review_id}")


def welcome(member: Member) -> None:
    """Award the bonus for joining."""
    if points := _bonus("loyalty.signup_bonus_points"):
        award(member=member, points=points, reason=SIGNUP, reference=f"member:{member.pk}")


def _bonus(key: str) -> int:
    points: int = get_setting(key)
    return min(max(points, 0), MAX_POINTS)
