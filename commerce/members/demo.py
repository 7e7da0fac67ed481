"""Demo plans and members: three of each status on each plan, and without one.

Matched by slug and email. No events are emitted and no emails sent, and the accounts cannot sign in.
"""

from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import product

from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.utils import timezone
from wagtail.search.backends import get_search_backend

from cms_api.core.demo import data_beside, missing

from .models import Member, Plan
from .services import save_plan
from .types import MemberStatus

DATA = data_beside(__file__)


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the plans, then the members."""
    now = timezone.now()
    for position, plan in missing(DATA["plans"], Plan.objects, "slug"):
        save_plan(values={**plan, "position": position})
    plans = {each.slug: each for each in Plan.objects.all()}
    known = set(get_user_model().objects.values_list("username", flat=True).filter(username__endswith="@members.example"))
    for number, (name, slug, status) in enumerate(people()):
        address = f"member{number + 1}@members.example"
        if address not in known:
            joined = now - timedelta(days=400 - number * 13)
            cancelled = joined + timedelta(days=5) if status == MemberStatus.CANCELLED else None
            row = Member(plan=plans.get(slug), status=status, joined_at=joined, cancelled_at=cancelled)
            row.created_at, row.updated_at = joined, cancelled or joined
            _make(address, name, row)
            progress(1)


def people() -> Iterator[tuple[str, str, MemberStatus]]:
    """Yield name, plan slug (empty for none) and status."""
    names = [f"{first} {last}" for last, first in product(DATA["last_names"], DATA["first_names"])]
    places = product(["", *(plan["slug"] for plan in DATA["plans"])], MemberStatus, range(3))
    for name, (slug, status, _) in zip(names, places, strict=True):
        yield name, slug, status


@transaction.atomic
def _make(address: str, name: str, member: Member) -> None:
    member.user = get_user_model().objects.create(
        username=address, email=address, first_name=name, password=make_password(None), date_joined=member.joined_at
    )
    EmailAddress.objects.create(user=member.user, email=address, verified=True, primary=True)
    member.save()
    get_search_backend().add(member)
