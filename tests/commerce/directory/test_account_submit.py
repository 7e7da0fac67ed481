"""The page on which members submit listings."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from cms_api.flags.services import set_setting
from cms_api.media.models import MediaImage
from commerce.directory.models import Listing
from tests.media.files import jpeg, png
from tests.refusals import is_refused_for

from .builders import make_category, make_plan, submit

PATH = "/directory/submit"
FORM = {
    "name": "Reyes Ceramics",
    "description": "Bowls and mugs.\r\n\r\nEvery piece is thrown by hand.",
    "country": "US",
    "street": "14 Canal Street",
    "city": "Brattleboro",
    "state": "VT",
    "postal_code": "05301",
    "latitude": "42.8509",
    "longitude": "-72,5579",
    "phone": "+1 802 555 0100",
    "email": "hello@reyes.example",
    "website": "reyes.example",
    "timezone": "America/New_York",
    "hours_mon": "09:00-12:00, 13:00-18:00",
    "hours_sat": "24h",
    "special_hours": "2026-12-24: 09:00-12:00\r\n12/25/2026",
}


@pytest.fixture
def member(owner: Any, sign_in: Callable[[Any], Client]) -> Client:
    return sign_in(owner)


def picture(name: str = "bowl.jpg", content: bytes = b"") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content or jpeg())


def errors(response: Any) -> dict[str, str]:
    """The errors by the id of the input that they lead to."""
    page = response.content.decode()
    return dict(re.findall(r'<li><a href="#id_(\w+)">(.*?)</a></li>', page))


def test_guests_are_asked_to_sign_in() -> None:
    page = Client().get(PATH)
    assert (page.status_code, page.headers["Cache-Control"]) == (200, "private, no-store")
    assert "/accounts/login/?next=/directory/submit" in page.content.decode()
    assert Client().post(PATH, FORM).status_code == 403
    assert not Listing.objects.exists()


def test_a_listing_is_submitted(member: Client, owner: Any) -> None:
    crafts = make_category("Crafts")
    make_category("Food")
    page = member.get(PATH)
    assert (page.status_code, page.headers["Cache-Control"]) == (200, "private, no-store")
    answer = member.post(PATH, {**FORM, "categories": [crafts.pk]})
    listing = Listing.objects.get()
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/accounts/listings/{listing.pk}/")
    assert (listing.owner, listing.status, listing.expires_at) == (owner, "pending", None)
    assert listing.description == "Bowls and mugs.\n\nEvery piece is thrown by hand."
    assert (listing.website, listing.email, listing.state) == ("https://reyes.example", "hello@reyes.example", "VT")
    assert (listing.latitude, listing.longitude, listing.timezone) == (42.8509, -72.5579, "America/New_York")
    assert listing.hours["mon"] == [{"open": "09:00", "close": "12:00"}, {"open": "13:00", "close": "18:00"}]
    assert (listing.hours["tue"], listing.hours["sat"]) == ([], [{"open": "00:00", "close": "00:00"}])
    assert [each["date"] for each in listing.special_hours] == ["2026-12-24", "2026-12-25"]
    assert [each.name for each in listing.categories.all()] == ["Crafts"]
    shown = member.get(answer.headers["Location"]).content.decode()
    assert "Thank you! We&#x27;ll email you when your listing has been reviewed." in shown
    assert "Awaiting moderation" in shown
    assert "You can change everything until" in shown


def test_only_a_name_is_needed(member: Client) -> None:
    assert member.post(PATH, {"name": "Reyes Ceramics", "timezone": "UTC"}).status_code == 302
    assert Listing.objects.get().hours is None


def test_a_term_is_offered_where_one_can_be_bought(member: Client) -> None:
    make_plan("One year")
    assert "You choose how long it&#x27;s listed, and pay, on the next page." in member.get(PATH).content.decode().replace(
        "it's", "it&#x27;s"
    )
    shown = member.get(member.post(PATH, FORM).headers["Location"]).content.decode()
    assert "One year" in shown
    assert "$120.00" in shown
    assert Listing.objects.get().expires_at is not None


def test_pictures_are_stored_in_the_library(member: Client, owner: Any) -> None:
    files = {"logo": picture("logo.png", png()), "cover": picture(), "pictures": [picture("a.jpg"), picture("b.jpg")]}
    assert member.post(PATH, {**FORM, **files}).status_code == 302
    listing = Listing.objects.get()
    shown = [row.media_id for row in listing.pictures.all()]
    assert len({listing.logo_id, listing.cover_id, *shown}) == 4
    stored = MediaImage.objects.get(pk=listing.logo_id)
    assert (stored.uploaded_by_user, stored.alt) == (owner, "Reyes Ceramics")


@pytest.mark.parametrize(
    ("name", "file", "said"),
    [
        ("logo", picture("logo.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>"), "logo.svg: The file must be a file of type"),
        ("cover", picture("cover.jpg", b"no picture at all"), "cover.jpg: The content isn&#x27;t a valid .jpg file."),
        ("pictures", picture("film.mp4", b"\0\0\0\x18ftypmp42"), "film.mp4: The file must be a file of type"),
        ("logo", picture("empty.png", b" "), "empty.png: The content isn&#x27;t a valid .png file."),
    ],
)
def test_other_files_are_refused_at_their_input(member: Client, name: str, file: Any, said: str) -> None:
    file.seek(0)
    answer = member.post(PATH, {**FORM, "cover" if name != "cover" else "logo": picture(), name: file})
    assert answer.status_code == 422
    assert said in errors(answer)[name]
    assert "Choose your pictures again" in answer.content.decode()
    assert not MediaImage.objects.exists()
    assert not Listing.objects.exists()


def test_large_and_many_files_are_refused(member: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commerce.directory.views.forms.MAX_PICTURE_BYTES", 100)
    answer = member.post(PATH, {**FORM, "logo": picture("logo.png", png())})
    assert errors(answer)["logo"].startswith("logo.png is larger than")
    answer = member.post(PATH, {**FORM, "pictures": [picture(f"{n}.png", b"x") for n in range(13)]})
    assert errors(answer)["pictures"] == "Upload at most 12 pictures."


def test_nothing_is_left_behind_by_another_error(member: Client) -> None:
    answer = member.post(PATH, {**FORM, "hours_tue": "9-25", "logo": picture(), "pictures": [picture()]})
    assert errors(answer) == {"hours_tue": "Tuesday: The time must be a valid time, as in 09:00."}
    assert 'value="9-25"' in answer.content.decode()
    assert not MediaImage.objects.exists()


def test_errors_are_shown_at_the_inputs(member: Client) -> None:
    categories = [make_category(f"Category {n}").pk for n in range(6)]
    wrong = {
        "name": "",
        "categories": categories,
        "latitude": "91",
        "website": "javascript:alert(1)",
        "email": "nobody",
        "timezone": "Mars/Olympus",
        "country": "XX",
        "hours_mon": "09:00-12:00, 11:00-13:00",
    }
    found = errors(member.post(PATH, {**FORM, **wrong}))
    assert found.keys() == {"name", "email", "timezone", "country", "hours_mon"}
    valid = {"name": "Reyes", "email": "", "timezone": "UTC", "country": ""}
    found = errors(member.post(PATH, {**FORM, **wrong, **valid, "hours_mon": ""}))
    assert found == {
        "categories": "Select at most 5 categories.",
        "latitude": "“Latitude” must be between -90 and 90.",
        "website": "“Website” must be an address that begins with http:// or https://.",
    }
    found = errors(member.post(PATH, {**FORM, "hours_mon": "9-12, 11-13", "special_hours": "2026-12-24\n24 December: 9-12"}))
    assert found == {
        "hours_mon": "Monday: The hours of a day may not overlap.",
        "special_hours": "Day 2: The date must be a valid date, as in 2026-12-24.",
    }
    assert not Listing.objects.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "a\0b"},
        {"categories": ["99999999999999999999"]},
        {"latitude": "1e999"},
        {"hours_mon": "\0"},
        {"special_hours": "\n".join(f"2026-01-{day:02}" for day in range(1, 32)) + "\n2026-01-01"},
        {"remove_pictures": ["1"]},
        {"logo": "no file"},
        {"timezone": ["UTC", "../../etc/passwd"]},
        {"phone": "\ud800".encode("utf-8", "surrogatepass")},
    ],
)
def test_hostile_values(member: Client, wrong: dict[str, Any]) -> None:
    make_category()
    assert member.post(PATH, {**FORM, **wrong}).status_code in {302, 422}


def test_the_daily_limit(member: Client, owner: Any) -> None:
    set_setting(key="directory.submissions_per_day", value=1)
    submit(owner)
    answer = member.post(PATH, {**FORM, "logo": picture()})
    assert is_refused_for(answer, 86_400)
    assert "Daily limit reached" in answer.content.decode()
    assert (Listing.objects.count(), MediaImage.objects.count()) == (1, 0)


@pytest.mark.both_databases
def test_sent_twice_it_is_submitted_once(member: Client) -> None:
    answers = [member.post(PATH, {**FORM, "logo": picture()}) for _ in range(2)]
    assert answers[0].headers["Location"] == answers[1].headers["Location"]
    assert (Listing.objects.count(), MediaImage.objects.count()) == (1, 1)
    # Another shop of the same name.
    member.post(PATH, {**FORM, "street": "2 Main Street"})
    assert Listing.objects.count() == 2


def test_forged_requests_are_refused(owner: Any) -> None:
    forged = Client(enforce_csrf_checks=True)
    forged.force_login(owner)
    assert forged.post(PATH, FORM).status_code == 403
