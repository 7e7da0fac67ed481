"""Listings in the admin: the form there and back, hostile values, the list with its filters, and the page of one."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cms_api.fields.places import DAYS
from cms_api.flags.services import set_setting, switch_feature
from commerce.directory.models import Listing
from tests import people
from tests.builders import make_image

from .admin_builders import account, category, change, claim, listing, plan, purchase, reloaded, submission

LISTINGS = "/admin/listings/"


@pytest.fixture(autouse=True)
def switched_on(db: None) -> None:
    switch_feature(name="directory", on=True)
    set_setting(key="site.timezone", value="UTC")


def special_rows(*days: tuple[str, str]) -> dict[str, str]:
    """The fields of the editor of special days: a date, and its hours."""
    found = {"special_days-count": str(len(days))}
    for number, (date, hours) in enumerate(days):
        prefix = f"special_days-{number}"
        found |= {f"{prefix}-deleted": "", f"{prefix}-order": str(number), f"{prefix}-type": "day", f"{prefix}-id": ""}
        found |= {f"{prefix}-value-date": date, f"{prefix}-value-hours": hours}
    return found


def picture_rows(*ids: int) -> dict[str, str]:
    found = {"pictures_editor-count": str(len(ids))}
    for number, pk in enumerate(ids):
        prefix = f"pictures_editor-{number}"
        found |= {f"{prefix}-deleted": "", f"{prefix}-order": str(number), f"{prefix}-type": "picture", f"{prefix}-id": ""}
        found[f"{prefix}-value"] = str(pk)
    return found


def posted(**changes: Any) -> dict[str, Any]:
    """The fields of a listing's form."""
    texts = {"name": "Reyes Ceramics", "slug": "", "description": "Stoneware.", "phone": "+1 802 555 0142"}
    more = {"email": "Hello@Example.com", "website": "https://example.com", "logo_chosen": "", "cover_chosen": ""}
    address = {"street": "14 Canal Street", "street2": "", "city": "Brattleboro", "state": "VT", "postal_code": "05301"}
    place = {"country": "US", "latitude": "42.8509", "longitude": "-72.5579", "timezone": "America/New_York"}
    hours = {f"hours_{day}": "" for day in DAYS} | {"hours_mon": "13:00-18:00, 09:00-12:00", "hours_fri": "17:00-02:00"}
    state = {"status": "published", "featured_until": "", "expires_at": "", "owner": "", "state_shown": ""}
    return {**texts, **more, **address, **place, **hours, **state, **special_rows(), **picture_rows(), **changes}


def shown_form(client: Client, found: Listing) -> dict[str, Any]:
    """Return what the edit page of a listing would send unchanged."""
    form = client.get(f"{LISTINGS}edit/{found.pk}/").context["form"]
    names = [name for name in form.fields if name not in {"special_days", "pictures_editor"}]
    values = {name: form.fields[name].prepare_value(form[name].value()) for name in names}
    texts = {name: value for name, value in values.items() if value not in (None, False, "") and not isinstance(value, list)}
    chosen = {"categories": [str(getattr(each, "pk", each)) for each in values["categories"]]}
    days = [
        (each.value["date"], form.fields["hours_mon"].prepare_value(each.value["hours"])) for each in form["special_days"].value()
    ]
    pictures = [each.value.pk for each in form["pictures_editor"].value()]
    return {**texts, **chosen, **special_rows(*((str(day), words) for day, words in days)), **picture_rows(*pictures)}


def test_it_works(admin_client: Client) -> None:
    crafts, shops = category(), category("Shops")
    logo, cover, first, second = (make_image(f"{number}.png") for number in range(4))
    dana = account()
    values = posted(
        categories=[str(crafts.pk), str(shops.pk)],
        logo_chosen=str(logo.pk),
        cover_chosen=str(cover.pk),
        featured="on",
        featured_until="2199-02-01 10:00",
        expires_at="2199-03-01 00:00",
        owner=str(dana.pk),
        **special_rows(("2199-12-24", "10:00-14:00"), ("2199-12-25", "")),
        **picture_rows(second.pk, first.pk),
    )
    answer = admin_client.post(f"{LISTINGS}new/", values)
    assert answer.status_code == 302, answer.context["form"].errors
    found = Listing.objects.get()
    assert (found.name, found.slug, found.status, found.email) == (
        "Reyes Ceramics",
        "reyes-ceramics",
        "published",
        "hello@example.com",
    )
    assert (found.latitude, found.longitude, found.timezone, found.country) == (42.8509, -72.5579, "America/New_York", "US")
    assert found.hours is not None
    assert found.hours["mon"] == [{"open": "09:00", "close": "12:00"}, {"open": "13:00", "close": "18:00"}]
    assert found.hours["fri"] == [{"open": "17:00", "close": "02:00"}]
    assert found.special_hours == [
        {"date": "2199-12-24", "hours": [{"open": "10:00", "close": "14:00"}]},
        {"date": "2199-12-25", "hours": []},
    ]
    assert (found.logo_id, found.cover_id, found.owner) == (logo.pk, cover.pk, dana)
    assert list(found.pictures.values_list("media", flat=True)) == [second.pk, first.pk]
    assert set(found.categories.all()) == {crafts, shops}
    assert (found.featured, found.expires_at) == (True, datetime(2199, 3, 1, tzinfo=UTC))
    assert admin_client.get(f"{LISTINGS}inspect/{found.pk}/").status_code == 200


def test_saving_the_form_unchanged_changes_nothing(admin_client: Client) -> None:
    picture = make_image()
    made = listing(
        description="Stoneware.",
        categories=[category().pk],
        hours={"mon": [{"open": "00:00", "close": "00:00"}], "sat": [{"open": "09:00", "close": "12:00"}]},
        special_hours=[
            {"date": "2030-01-01", "hours": []},
            {"date": "2030-01-02", "hours": [{"open": "10:00", "close": "11:30"}]},
        ],
        featured=True,
        featured_until=timezone.now() + timedelta(days=3),
        expires_at=timezone.now() + timedelta(days=9),
        owner=account(),
        logo=picture.pk,
        pictures=[picture.pk],
        latitude=-18.5,
        longitude=179.25,
        country="FJ",
        timezone="Pacific/Fiji",
        email="dana@example.com",
    )
    Listing.objects.update(reminded_days=14)

    def stored() -> dict[str, Any]:
        [values] = Listing.objects.filter(pk=made.pk).values()
        links = (list(made.categories.values_list("pk")), list(made.pictures.values_list("pk", "position")))
        return {name: value for name, value in values.items() if name != "updated_at"} | {"links": links}

    before = stored()
    answer = admin_client.post(f"{LISTINGS}edit/{made.pk}/", shown_form(admin_client, made))
    assert answer.status_code == 302, answer.context["form"].errors
    assert stored() == before


def test_a_payment_while_the_form_is_open_is_kept(admin_client: Client) -> None:
    made = listing(expires_at=timezone.now())
    form = shown_form(admin_client, made)
    paid_until = timezone.now() + timedelta(days=365)
    Listing.objects.update(expires_at=paid_until, featured=True)
    assert admin_client.post(f"{LISTINGS}edit/{made.pk}/", {**form, "name": "Reyes"}).status_code == 302
    found = reloaded(made)
    assert (found.name, found.expires_at, found.featured) == ("Reyes", paid_until, True)
    admin_client.post(f"{LISTINGS}edit/{made.pk}/", {**form, "expires_at": "2199-03-01 00:00"})
    assert reloaded(made).expires_at == datetime(2199, 3, 1, tzinfo=UTC)


def test_the_status_changes_by_buttons_only(admin_client: Client) -> None:
    made = submission()
    assert (
        admin_client.post(f"{LISTINGS}edit/{made.pk}/", {**shown_form(admin_client, made), "status": "published"}).status_code
        == 302
    )
    assert reloaded(made).status == "pending"


def test_a_listing_that_makes_no_sense_is_refused(admin_client: Client) -> None:
    for field, value in [
        ("name", "a\0b"),
        ("slug", "submit"),
        ("website", "javascript:alert(1)"),
        ("latitude", "1e400"),
        ("longitude", ""),
        ("timezone", "../../etc/passwd"),
        ("hours_tue", "09:00-12:00, 11:00-13:00"),
        ("status", "expired"),
        ("expires_at", "0001-01-01 00:00"),
        ("owner", "9" * 40),
        ("logo_chosen", "99999"),
        ("categories", "9" * 40),
    ]:
        answer = admin_client.post(f"{LISTINGS}new/", posted(**{field: value}))
        assert answer.status_code == 200
        assert set(answer.context["form"].errors) == {field}
        assert not Listing.objects.exists()


def test_special_days_that_make_no_sense_are_refused(admin_client: Client) -> None:
    for rows in [
        special_rows(("", "")),
        special_rows(("2030-01-01", "09:00-12:00, 11:00-13:00")),
        special_rows(("2030-01-01", "a\0b")),
    ]:
        answer = admin_client.post(f"{LISTINGS}new/", posted(**rows))
        assert answer.status_code == 200
        assert set(answer.context["form"].errors) == {"special_days"}
        assert not Listing.objects.exists()


def test_mangled_choices_are_refused(admin_client: Client) -> None:
    for field, value in [("owner", "x"), ("cover_chosen", "\0"), ("logo_chosen", "9" * 40)]:
        assert admin_client.post(f"{LISTINGS}new/", posted(**{field: value})).status_code in {200, 400}
        assert not Listing.objects.exists()


def test_a_forged_state_is_read_as_nothing(admin_client: Client) -> None:
    made = listing(expires_at=timezone.now())
    for text in [
        "[",
        '{"expires_at": []}',
        "[" * 100_000,
    ]:
        answer = admin_client.post(f"{LISTINGS}edit/{made.pk}/", {**shown_form(admin_client, made), "state_shown": text})
        assert answer.status_code in {200, 302}
        assert Listing.objects.count() == 1


def test_too_many_categories_are_refused(admin_client: Client) -> None:
    ids = [str(category(f"Category {number}").pk) for number in range(6)]
    answer = admin_client.post(f"{LISTINGS}new/", posted(categories=ids))
    assert set(answer.context["form"].errors) == {"categories"}


@pytest.mark.both_databases
def test_the_list_filters_and_searches(admin_client: Client) -> None:
    now = timezone.now()
    crafts, dana = category(), account()
    live = listing(categories=[crafts.pk], featured=True, owner=dana, expires_at=now + timedelta(days=30))
    expired = listing("Saw-tooth Gallery", expires_at=now - timedelta(days=1), city="Hebden Bridge")
    pending = submission()
    archived = listing("Hale Joinery", status="archived")
    change(live, name="Reyes Pottery")
    claim(expired, account("tom@example.com", "Tom", "Hale"))
    claim(archived, account("ruth@example.com", "Ruth", "Adeyemi"), method="email", code_digest="x")

    def shown(**query: Any) -> set[str]:
        answer = admin_client.get(LISTINGS, query)
        assert answer.status_code == 200
        return {each.name for each in answer.context["object_list"]}

    assert shown() == {each.name for each in (live, expired, pending, archived)}
    assert shown(status="live") == {live.name}
    assert shown(status="expired") == {expired.name}
    assert shown(status="published") == {live.name, expired.name}
    assert shown(status="pending") == {pending.name}
    assert shown(status="archived") == {archived.name}
    assert shown(category=crafts.pk) == {live.name}
    assert shown(featured="True") == {live.name}
    assert shown(featured="False") == {expired.name, pending.name, archived.name}
    assert shown(expires_at_to=str(now.date())) == {expired.name}
    assert shown(owner="reyes") == shown(owner="DANA dana@example") == {live.name}
    assert shown(owner="tom") == set()
    assert shown(moderation="change") == {live.name}
    assert shown(moderation="claim") == {expired.name}
    assert shown(q="hebden") == {expired.name}
    assert shown(q="craft") == {live.name}
    assert shown(created_at_from=str(now.date() + timedelta(days=2))) == set()
    for hostile in ({"status": "\0"}, {"category": "9" * 30}, {"q": "\0"}, {"owner": "\0"}, {"expires_at_to": "9999-12-31"}):
        assert admin_client.get(LISTINGS, hostile).status_code == 200
    page = admin_client.get(LISTINGS).content.decode()
    for words in ("Expired", "Change awaits moderation", "dana@example.com", "Hebden Bridge", "Never"):
        assert words in page, words


def test_the_list_takes_a_constant_number_of_statements(admin_client: Client) -> None:
    crafts = category()

    def statements() -> int:
        with CaptureQueriesContext(connection) as found:
            assert admin_client.get(LISTINGS).status_code == 200
        return len(found)

    listing("First", categories=[crafts.pk], owner=account("0@example.com"))
    statements()
    one = statements()
    for number in range(1, 5):
        listing(f"Listing {number}", categories=[crafts.pk], owner=account(f"{number}@example.com"))
    assert statements() == one


def test_the_page_of_a_listing_has_everything(admin_client: Client) -> None:
    shops, dana = category("Shops"), account()
    picture = make_image()
    made = listing(
        categories=[category().pk],
        owner=dana,
        city="Brattleboro",
        website="https://example.com",
        description="Stoneware\n<script>",
        hours={"mon": [{"open": "00:00", "close": "00:00"}], "tue": [{"open": "17:00", "close": "02:00"}]},
        special_hours=[{"date": "2030-12-24", "hours": []}],
        latitude=42.8,
        longitude=-72.5,
        cover=picture.pk,
        pictures=[picture.pk],
        featured=True,
    )
    change(made, name="Reyes <b>Pottery</b>", categories=[shops.pk], latitude=None)
    purchase(made, plan(), "paid", starts_at=timezone.now(), ends_at=timezone.now() + timedelta(days=365))
    claim(made, account("tom@example.com", "Tom", "Hale"))
    page = admin_client.get(f"{LISTINGS}inspect/{made.pk}/").content.decode()
    for words in (
        *("Stoneware<br>&lt;script&gt;", "Brattleboro", "42.8, -72.5", "Dana Reyes (dana@example.com)", "24 hours", "Closed"),
        *("Reyes &lt;b&gt;Pottery&lt;/b&gt;", "Shops", "42.8", "Approve changes", "Reject changes", "One year", "$120.00"),
        *("Tom Hale", "Checked by staff", "View page", "Stop featuring", "Archive", "Back to moderation", "figcaption"),
    ):
        assert words in page, words
    assert "<script>" not in page.partition("Stoneware")[2].partition("</dd>")[0]
    # Without anything, too.
    bare = submission()
    page = admin_client.get(f"{LISTINGS}inspect/{bare.pk}/").content.decode()
    assert "Not known." in page
    assert "View page" not in page
    for address in ("inspect", "edit", "delete", "history", "publish"):
        assert admin_client.get(f"{LISTINGS}{address}/99999/").status_code == 404


def test_deleting_asks_first_and_keeps_purchases(admin_client: Client) -> None:
    made = listing()
    bought = purchase(made, plan(), "paid")
    assert "Its purchases are kept." in admin_client.get(f"{LISTINGS}delete/{made.pk}/").content.decode()
    assert Listing.objects.exists()
    assert admin_client.post(f"{LISTINGS}delete/{made.pk}/").status_code == 302
    assert not Listing.objects.exists()
    assert reloaded(bought).listing is None


def test_a_listing_with_a_payment_on_its_way_stays(admin_client: Client) -> None:
    made = listing()
    purchase(made, plan(), is_processing=True)
    admin_client.post(f"{LISTINGS}delete/{made.pk}/")
    assert Listing.objects.exists()


def test_owners_are_chosen_from_site_accounts(sign_in: Callable[[Any], Client]) -> None:
    dana, alice = account(), people.alice()
    client = sign_in(people.mallory_manager())
    url = f"{LISTINGS}owners/choose/"
    page = client.get(url).content.decode()
    assert "dana@example.com" in page
    assert alice.email not in page
    assert "dana@example.com" in client.get(f"{url}results/", {"q": "reyes dana"}).content.decode()
    for query in ("nobody", "%"):
        assert "dana@example.com" not in client.get(f"{url}results/", {"q": query}).content.decode()
    assert client.get(f"{url}chosen/{dana.pk}/").status_code == 200
    assert client.get(f"{url}chosen/{alice.pk}/").status_code == 404
    answer = client.post(f"{LISTINGS}new/", posted(owner=str(alice.pk)))
    assert set(answer.context["form"].errors) == {"owner"}


def test_editors_are_kept_out(sign_in: Callable[[Any], Client]) -> None:
    editor, manager = sign_in(people.bob()), sign_in(people.mallory_manager())
    for path in ("", "new/", "categories/", "plans/", "purchases/", "claims/", "owners/choose/"):
        assert editor.get(f"{LISTINGS}{path}").status_code in {302, 403}
        assert manager.get(f"{LISTINGS}{path}").status_code == 200


def test_times_are_those_of_the_sites_clock(admin_client: Client) -> None:
    set_setting(key="site.timezone", value="America/New_York")
    assert admin_client.post(f"{LISTINGS}new/", posted(expires_at="2030-01-01 00:00")).status_code == 302
    made = Listing.objects.get()
    assert made.expires_at == datetime(2030, 1, 1, 5, tzinfo=UTC)
    assert 'value="2030-01-01 00:00"' in admin_client.get(f"{LISTINGS}edit/{made.pk}/").content.decode()
