"""Buttons of listings, changes and claims in the admin, and the bulk actions."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from wagtail.models import ModelLogEntry

from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from commerce.directory.models import Listing
from tests import people

from .admin_builders import account, category, change, claim, listing, plan, purchase, reloaded, submission

LISTINGS = "/admin/listings/"
CLAIMS = f"{LISTINGS}claims/"


@pytest.fixture(autouse=True)
def switched_on(db: None) -> None:
    switch_feature(name="directory", on=True)


def mails() -> list[str]:
    return list(OutgoingMail.objects.order_by("pk").values_list("template", flat=True))


def press(client: Client, button: str, record: Any, at: str = LISTINGS, **values: str) -> str:
    """Press a button, and return what the next page says, or the form again if it was refused."""
    answer = client.post(f"{at}{button}/{record.pk}/", values, follow=True)
    assert answer.status_code in {200, 422}
    return answer.content.decode()


def offered(client: Client, record: Any) -> set[str]:
    """The buttons on the page of a listing."""
    return {each["transition"].name for each in client.get(f"{LISTINGS}inspect/{record.pk}/").context["transitions"]}


def actions() -> list[str]:
    found = ModelLogEntry.objects.filter(action__startswith="directory.").order_by("pk")
    return [action.removeprefix("directory.") for action in found.values_list("action", flat=True)]


def test_it_works(admin_client: Client) -> None:
    made = submission(owner=account())
    assert offered(admin_client, made) == {"publish", "feature", "decline"}
    assert "Calder Yoga is online." in press(admin_client, "publish", made)
    assert (reloaded(made).status, mails()) == ("published", ["listing_published"])
    assert offered(admin_client, made) == {"feature", "unpublish", "archive"}
    assert "already done" in press(admin_client, "publish", made)
    assert "is featured" in press(admin_client, "feature", made)
    assert offered(admin_client, made) == {"stop_featuring", "unpublish", "archive"}
    assert "no longer featured" in press(admin_client, "stop-featuring", made)
    assert "back in moderation" in press(admin_client, "unpublish", made)
    assert offered(admin_client, made) == {"publish", "feature", "archive"}
    assert "Archive" in admin_client.get(f"{LISTINGS}archive/{made.pk}/").content.decode()
    assert "is archived" in press(admin_client, "archive", made)
    assert offered(admin_client, made) == {"publish", "feature", "unpublish"}
    page = press(admin_client, "publish", made)
    # The owner was told the first time.
    assert mails() == ["listing_published"]
    assert actions() == ["publish", "feature", "stop_featuring", "unpublish", "archive", "publish"]
    for words in ("Published", "Featured", "No longer featured", "Put back in moderation", "Archived"):
        assert words in page, words


def test_a_paid_placement_is_not_ended_by_accident(admin_client: Client) -> None:
    made = listing(featured=True, featured_until=timezone.now() + timedelta(days=9))
    assert "may have been paid for" in admin_client.get(f"{LISTINGS}stop-featuring/{made.pk}/").content.decode()


def test_publishing_begins_the_paid_term(admin_client: Client) -> None:
    made = submission(expires_at=timezone.now() - timedelta(hours=1))
    assert "once its term is paid" in press(admin_client, "publish", made)
    paid = submission("Dye House Yarns", expires_at=timezone.now() - timedelta(hours=1))
    now = timezone.now()
    purchase(paid, plan(), "paid", starts_at=now - timedelta(days=9), ends_at=now + timedelta(days=356))
    press(admin_client, "publish", paid)
    assert reloaded(paid).expires_at > now + timedelta(days=364)


def test_declining_sends_the_reason(admin_client: Client) -> None:
    made = submission(owner=account())
    assert "Its owner gets an email" in admin_client.get(f"{LISTINGS}decline/{made.pk}/").content.decode()
    press(admin_client, "decline", made, reason="We only list businesses in the valley.")
    assert reloaded(made).status == "archived"
    mail = OutgoingMail.objects.get()
    assert mail.template == "listing_declined"
    assert "businesses in the valley" in mail.text


@pytest.mark.parametrize("reason", ["x" * 501, "a\0b"])
def test_hostile_reasons_are_refused(reason: str, admin_client: Client) -> None:
    made = submission(owner=account())
    press(admin_client, "decline", made, reason=reason)
    assert reloaded(made).status == "pending"
    wanted = change(listing(owner=account("tom@example.com")), name="New")
    press(admin_client, "changes/reject", wanted, reason=reason)
    assert reloaded(wanted).status == "pending"
    of = claim(listing("Free"), account("ruth@example.com"))
    press(admin_client, "reject", of, CLAIMS, reason=reason)
    assert reloaded(of).status == "pending"


def test_changes_are_approved(admin_client: Client) -> None:
    shops = category("Shops")
    made = listing(owner=account(), categories=[category().pk])
    wanted = change(made, name="Reyes Pottery", categories=[shops.pk])
    assert "are published" in press(admin_client, "changes/approve", wanted)
    assert (reloaded(wanted).status, reloaded(made).name, list(made.categories.all())) == ("approved", "Reyes Pottery", [shops])
    assert mails() == ["listing_change_decided"]
    assert "already decided" in press(admin_client, "changes/approve", wanted)
    assert "Change awaiting moderation" not in admin_client.get(f"{LISTINGS}inspect/{made.pk}/").content.decode()
    assert admin_client.post(f"{LISTINGS}changes/approve/99999/").status_code == 404


def test_changes_are_rejected_with_a_reason(admin_client: Client) -> None:
    made = listing(owner=account())
    wanted = change(made, name="Casino")
    press(admin_client, "changes/reject", wanted, reason="It is another business.")
    assert (reloaded(wanted).status, reloaded(wanted).reason, reloaded(made).name) == (
        "rejected",
        "It is another business.",
        "Reyes Ceramics",
    )
    assert "another business" in OutgoingMail.objects.get().text
    assert "already decided" in press(admin_client, "changes/reject", wanted, reason="")


def test_a_change_that_became_impossible_is_refused(admin_client: Client) -> None:
    wanted = change(listing(owner=account()), name="Casino")
    # As if a later version no longer admitted it.
    wanted.values = {"name": ""}
    wanted.save()
    page = press(admin_client, "changes/approve", wanted)
    assert "are published" not in page
    assert reloaded(wanted).status == "pending"


def test_claims_are_decided(admin_client: Client) -> None:
    made, dana, tom = listing(phone="0142"), account(), account("tom@example.com", "Tom", "Hale")
    first, second = claim(made, dana), claim(made, tom)
    page = admin_client.get(f"{CLAIMS}inspect/{first.pk}/").content.decode()
    for words in ("It is mine.", "dana@example.com", "0142", "Reyes Ceramics", "Approve", "Reject"):
        assert words in page, words
    assert "can edit it" in admin_client.get(f"{CLAIMS}approve/{first.pk}/").content.decode()
    assert "owns Reyes Ceramics now" in press(admin_client, "approve", first, CLAIMS)
    assert (reloaded(made).owner, reloaded(first).status, reloaded(second).status) == (dana, "approved", "rejected")
    assert "already decided" in press(admin_client, "approve", second, CLAIMS)
    other = claim(listing("Free"), tom)
    press(admin_client, "reject", other, CLAIMS, reason="We don't know you.")
    assert (reloaded(other).status, reloaded(other).reason) == ("rejected", "We don't know you.")
    assert actions() == ["approve_claim", "reject_claim"]
    late = claim(made, tom)
    assert "has an owner already" in press(admin_client, "approve", late, CLAIMS)
    assert reloaded(late).status == "pending"


def test_a_claim_with_a_code_is_not_approved_by_hand(admin_client: Client) -> None:
    of = claim(listing(), account(), method="email", code_digest="x" * 64, message="")
    assert "Code not entered yet" in admin_client.get(CLAIMS).content.decode()
    assert "already decided" in press(admin_client, "approve", of, CLAIMS)
    assert reloaded(of).status == "pending"


@pytest.mark.both_databases
def test_claims_are_filtered(admin_client: Client) -> None:
    by_hand = claim(listing(), account())
    by_code = claim(listing("Coded"), account("tom@example.com"), method="email", code_digest="x")
    decided = claim(listing("Done"), account("ruth@example.com"), status="approved")

    def shown(**query: str) -> set[int]:
        answer = admin_client.get(CLAIMS, query)
        assert answer.status_code == 200
        return {each.pk for each in answer.context["object_list"]}

    assert shown() == {by_hand.pk, by_code.pk, decided.pk}
    assert shown(status="to_decide") == {by_hand.pk}
    assert shown(status="pending") == {by_hand.pk, by_code.pk}
    assert shown(status="approved") == {decided.pk}
    assert shown(method="email") == {by_code.pk}
    assert shown(created_at_to=str(timezone.localdate() - timedelta(days=2))) == set()


def bulk(client: Client, action: str, *records: Listing) -> str:
    ids = "&".join(f"id={each.pk}" for each in records)
    url = f"/admin/bulk/directory/listing/{action}/?{ids}"
    assert client.get(url).status_code == 200
    return client.post(url, follow=True).content.decode()


def test_many_are_published_and_archived_at_once(admin_client: Client) -> None:
    first, second = submission(owner=account()), submission("Nair Bakery")
    bulk(admin_client, "publish", first, second)
    assert set(Listing.objects.values_list("status", flat=True)) == {"published"}
    assert mails() == ["listing_published"]
    third = submission("Moonlight Cinema")
    bulk(admin_client, "archive", first, third)
    assert set(Listing.objects.values_list("name", "status")) == {
        ("Calder Yoga", "archived"),
        ("Nair Bakery", "published"),
        ("Moonlight Cinema", "archived"),
    }


@pytest.mark.parametrize("path", ["publish", "archive", "decline", "feature", "unpublish", "changes/approve", "changes/reject"])
def test_editors_press_no_buttons(path: str, sign_in: Callable[[Any], Client]) -> None:
    made = submission(owner=account())
    wanted = change(made, name="New")
    client = sign_in(people.bob())
    record = wanted if path.startswith("changes") else made
    assert client.post(f"{LISTINGS}{path}/{record.pk}/").status_code in {302, 403}
    found = reloaded(made)
    assert (found.status, found.featured, found.name, reloaded(wanted).status) == ("pending", False, "Calder Yoga", "pending")
    switch_feature(name="directory", on=False)
    manager = sign_in(people.mallory_manager())
    assert manager.post(f"{LISTINGS}{path}/{record.pk}/").status_code == 404
