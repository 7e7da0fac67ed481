"""Demo reviews and invitations: every status, consistent, and the same on a second run."""

from collections import Counter
from datetime import timedelta

import pytest
from django.utils import timezone

from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from cms_api.webhooks.models import OutboxEvent
from commerce.reviews.demo import STATUSES, SYNCED, load
from commerce.reviews.models import Invitation, OptOut, Review
from commerce.reviews.services.invitations import send_due_invitations
from commerce.reviews.types import InvitationState, Provider
from tests.commerce.shop.builders import make_product

pytestmark = pytest.mark.django_db

TABLES = (Review, Invitation, OptOut)


@pytest.fixture(autouse=True)
def demo(reviews: None) -> None:
    switch_feature(name="shop", on=True)
    make_product("Mug")
    load(1, lambda count: None)


def test_it_works() -> None:
    found = list(Review.objects.all())
    statuses, providers = Counter(each.status for each in found), Counter(each.provider for each in found)
    assert len(statuses) == 3
    assert min(statuses.values()) >= 3
    assert set(providers) == set(Provider)
    assert min(providers.values()) >= 3
    assert {each.rating for each in found} == {2, 3, 4, 5}
    states = Counter(Invitation.objects.values_list("state", flat=True))
    assert states == dict.fromkeys(InvitationState, 3)
    for each in found:
        assert each.left_at <= each.updated_at <= timezone.now()
        assert (each.author_email is None) == (each.provider != Provider.SITE)
    assert any(each.reply for each in found)
    assert any(each.subject_kind == "product" for each in found)


def test_loading_again_adds_nothing_and_a_larger_scale_does() -> None:
    before = [list(table.objects.order_by("pk").values()) for table in TABLES]  # type: ignore[attr-defined]
    load(1, lambda count: None)
    assert [list(table.objects.order_by("pk").values()) for table in TABLES] == before  # type: ignore[attr-defined]
    load(2, lambda count: None)
    assert Review.objects.count() == 2 * (len(STATUSES) + 4 * len(SYNCED))


def test_nobody_hears_of_it() -> None:
    Invitation.objects.update(due_at=timezone.now() - timedelta(hours=1))
    send_due_invitations()
    assert not OutgoingMail.objects.exists()
    assert not OutboxEvent.objects.exists()
