"""Demo points of the demo members. Entries have references, so that loading again adds nothing twice."""

from collections.abc import Callable

from commerce.members.selectors import members
from commerce.members.types import MemberStatus

from .services import award, spend
from .types import REVIEW, SIGNUP

#: The email domain of demo members.
DEMO = "@members.example"


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Give points to every active demo member, and deduct a few from every third."""
    people = members().filter(user__email__endswith=DEMO, status=MemberStatus.ACTIVE).order_by("pk")
    for number, member in enumerate(people):
        made = int(award(member=member, points=100, reason=SIGNUP, reference=f"member:{member.pk}"))
        for review in range(number % 4):
            made += award(member=member, points=50, reason=REVIEW, reference=f"demo:{review + 1}")
        if number % 3 == 0:
            made += spend(member=member, points=75, reason="order", reference="demo:1", note="Discount on an order")
        progress(made)
