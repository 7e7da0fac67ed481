"""The preview of a repetition before a date is saved: its meaning, and the effect on existing dates."""

import datetime as dt
import html
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cms_api.content.models import ContentItem, ContentType
from cms_api.content.services.items import unpublish_item
from cms_api.flags.services import set_setting, switch_feature
from events.models import Rsvp, Series
from events.selectors.preview import Preview, preview
from tests import people
from tests.builders import field, make_item, make_type

from .test_expand import WEEKLY, change, dates, make_event, reply, when

pytestmark = pytest.mark.django_db

SignIn = Callable[[Any], Client]
URL = "/admin/events/dates/preview/"
NOW = dt.datetime(2026, 1, 15, 12, tzinfo=dt.UTC)


@pytest.fixture(autouse=True)
def country(db: None) -> None:
    set_setting(key="site.country", value="GB")


@pytest.fixture
def dated() -> ContentType:
    return make_type(field("at", "datetime"))


def sent(item_type: ContentType, item: ContentItem | None = None, **parts: Any) -> dict[str, Any]:
    """The form data of the widget's script; parts left out have the form's initial values."""
    begins = {"start_date": "2099-01-30", "start_time": "18:30", "tz": "Europe/Paris", "interval": "1", **parts}
    about = {"name": "data__at", "type": item_type.slug, "item": str(item.pk) if item else ""}
    return {**about, **{f"data__at-{part}": value for part, value in begins.items()}}


def said(answer: Any) -> str:
    """The words of a fragment."""
    assert answer.status_code == 200, answer
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", answer.content.decode())).split())


def preview_text(client: Client, item_type: ContentType, item: ContentItem | None = None, **parts: Any) -> str:
    return said(client.post(URL, sent(item_type, item, **parts)))


def difference(client: Client, item: ContentItem, **parts: Any) -> str:
    begins = {"start_date": "2026-03-22", "frequency": "weekly", **parts}
    return preview_text(client, item.type, item, **begins).partition("When this is ")[2].split(". ")[0].rstrip(".")


def of(start: str, repeat: dict[str, Any], tz: str = "Europe/Paris", now: dt.datetime = NOW) -> Preview:
    rule = {"interval": 1, "until": None, "count": None, "weekdays": [], "monthly": None, **repeat}
    value = {"start": start, "end": None, "all_day": "T" not in start, "tz": tz, "repeat": rule}
    return preview(value, item=None, date_key="at", now=now, horizon=dt.date(2028, 1, 15))


def test_it_works(admin_client: Client, dated: ContentType) -> None:
    rule = {"frequency": "monthly", "monthly": "weekday", "ends": "count", "count": "12"}
    text = preview_text(admin_client, dated, end_time="20:00", **rule)
    assert text.startswith("Every month on the last Friday, 12 times 12 dates, all upcoming.")
    assert "Times in Europe/Paris." in text
    assert "Friday 30 January 2099 18:30 to 20:00 Friday 27 February 2099 18:30 to 20:00 Friday 27 March 2099" in text
    assert text.count("Friday ") == 12
    assert "Friday 24 April 2099 18:30 to 20:00 Summer time begins: the clock time stays 18:30." in text
    assert "When this is" not in text
    assert not ContentItem.objects.exists()


@pytest.mark.parametrize(
    ("start", "repeat", "sentence"),
    [
        ("2026-03-02", {"frequency": "daily", "count": 1}, "Every day, once"),
        ("2026-03-02", {"frequency": "daily", "interval": 3, "until": "2026-04-30"}, "Every 3 days, until 30 April 2026"),
        ("2026-03-02", {"frequency": "weekly"}, "Every week on Monday, with no end date"),
        (
            *("2026-03-02", {"frequency": "weekly", "interval": 2, "weekdays": ["mon", "wed", "sun"], "count": 1000}),
            "Every 2 weeks on Monday, Wednesday and Sunday, 1,000 times",
        ),
        ("2026-03-02", {"frequency": "monthly", "monthly": "day"}, "Every month on the 2nd, with no end date"),
        ("2026-03-13", {"frequency": "monthly", "monthly": "day"}, "Every month on the 13th, with no end date"),
        (
            "2026-03-31",
            {"frequency": "monthly", "monthly": "day"},
            "Every month on the 31st (in months that have one), with no end date",
        ),
        ("2026-03-24", {"frequency": "monthly", "monthly": "weekday"}, "Every month on the fourth Tuesday, with no end date"),
        ("2028-02-29", {"frequency": "yearly", "count": 2}, "Every year on 29 February (in leap years), 2 times"),
    ],
)
def test_a_rule_is_a_sentence(start: str, repeat: dict[str, Any], sentence: str) -> None:
    assert of(start, repeat).sentence == sentence


def test_dates_from_now_on() -> None:
    found = of("2026-01-01T18:30:00", {"frequency": "daily", "count": 100})
    assert (found.total, found.to_come, len(found.lines)) == (100, 86, 12)
    assert (found.lines[0].weekday, found.lines[0].day, found.lines[0].times) == ("Thursday", "15 January 2026", "18:30")
    # Over by the clocks of the event, not by those of the site.
    assert of("2026-01-15T18:30:00", {"frequency": "daily", "count": 3}, tz="Asia/Tokyo").to_come == 2
    assert of("2026-01-15", {"frequency": "daily", "count": 3}).to_come == 3
    assert of("2025-01-15", {"frequency": "daily", "count": 3}).lines == ()


def test_dates_without_end(admin_client: Client, dated: ContentType) -> None:
    set_setting(key="recurrence.horizon_days", value=400)
    begins = timezone.localdate() + dt.timedelta(days=10)
    text = preview_text(admin_client, dated, start_date=begins.isoformat(), frequency="weekly")
    assert re.search(r"with no end date Scheduled through \d+ \w+ \d{4}; 5\d upcoming\.", text)
    assert "The next 12 dates" in text


def test_the_cap_is_told(admin_client: Client, dated: ContentType) -> None:
    text = preview_text(admin_client, dated, frequency="daily", ends="until", until="2135-01-01")
    assert "A series has at most 1,000 dates. The last one is on 26 October 2101; later dates are left out." in text
    assert "at most 1,000 dates" not in preview_text(admin_client, dated, frequency="daily", ends="count", count="1000")


def test_whole_days(admin_client: Client, dated: ContentType) -> None:
    text = preview_text(admin_client, dated, all_day="1", end_date="2099-02-01", frequency="yearly", ends="count", count="2")
    assert "Friday 30 January 2099 to Sunday, 1 February 2099" in text
    assert "Times in" not in text


def test_a_first_date_beside_the_rule(admin_client: Client, dated: ContentType) -> None:
    text = preview_text(admin_client, dated, frequency="weekly", weekdays=["mon", "tue"], ends="count", count="3")
    assert "Every week on Monday and Tuesday, 3 times" in text
    assert "The first date, 30 January 2099, doesn't match these days but is included." in text


def notes(found: Preview) -> dict[str, tuple[str, ...]]:
    return {line.day: line.notes for line in found.lines if line.notes}


def test_changes_of_the_clocks_are_marked() -> None:
    found = of("2026-03-22T18:30:00", {"frequency": "weekly", "count": 3})
    assert notes(found) == {"29 March 2026": ("Summer time begins: the clock time stays 18:30.",)}
    found = of("2026-10-18T18:30:00", {"frequency": "weekly", "count": 3})
    assert notes(found) == {"25 October 2026": ("Summer time ends: the clock time stays 18:30.",)}
    # South of the equator it is the other way round, elsewhere there is none, and whole days have no clock.
    found = of("2026-04-01T18:30:00", {"frequency": "weekly", "count": 2}, tz="Australia/Sydney")
    assert notes(found) == {"8 April 2026": ("Summer time ends: the clock time stays 18:30.",)}
    assert notes(of("2026-03-22T18:30:00", {"frequency": "weekly", "count": 9}, tz="Asia/Tokyo")) == {}
    assert notes(of("2026-03-22", {"frequency": "weekly", "count": 9})) == {}


def test_a_skipped_time_is_marked() -> None:
    found = of("2026-03-28T02:30:00", {"frequency": "daily", "count": 3})
    assert [line.times for line in found.lines] == ["02:30", "03:30", "02:30"]
    assert notes(found) == {
        "29 March 2026": (
            "The clocks skip the time of the rule on this day: it begins at 03:30 instead.",
            "Summer time begins.",
        )
    }


@pytest.mark.both_databases
def test_the_mark_counts_from_a_date_that_is_not_shown() -> None:
    now = dt.datetime(2026, 3, 28, tzinfo=dt.UTC)
    assert list(notes(of("2026-03-22T18:30:00", {"frequency": "weekly", "count": 3}, now=now))) == ["29 March 2026"]


def test_the_difference(admin_client: Client) -> None:
    item = make_event(repeat=WEEKLY)
    same = {"ends": "count", "count": "4"}
    assert difference(admin_client, item, **same) == "published: all 4 dates stay as they are"
    assert difference(admin_client, item, ends="count", count="6") == "published: 2 dates are added; 4 stay"
    assert difference(admin_client, item, ends="count", count="1") == "published: 3 dates are removed; 1 stays"
    assert difference(admin_client, item, frequency="") == "published: 3 dates are removed; 1 stays"
    assert difference(admin_client, item, start_date="", start_time="") == "published: 4 dates are removed"
    assert difference(admin_client, item, interval="2", **same) == "published: 2 dates are removed; 2 are added; 2 stay"
    assert difference(admin_client, item, tz="Europe/Rome", **same) == "published: all 4 dates stay as they are"
    assert difference(admin_client, item, tz="Asia/Tokyo", **same) == "published: 4 dates move"
    assert difference(admin_client, item, start_time="19:00", ends="count", count="5") == "published: 4 dates move; 1 is added"
    unpublish_item(item=item)
    assert difference(admin_client, item, **same) == "saved: all 4 dates stay as they are"


def test_the_difference_with_replies(admin_client: Client) -> None:
    item = make_event(repeat=WEEKLY)
    rows = list(ContentItem.objects.filter(owner=item).order_by("starts_at"))
    reply(item, rows[0])
    reply(item, rows[0], "b@example.org")
    every_other = {"interval": "2", "ends": "count", "count": "4"}
    expected = "published: 2 dates are removed, 1 of them has RSVPs and stays as cancelled; 2 are added; 2 stay"
    assert difference(admin_client, item, **every_other) == expected
    reply(item, rows[2])
    assert "2 dates are removed, all of them have RSVPs and stay as cancelled" in difference(admin_client, item, **every_other)
    reply(item, item)
    moved = difference(admin_client, item, start_date="2026-03-29", ends="count", count="3")
    assert moved == "published: 1 date is removed but stays as cancelled, since it has RSVPs; 3 stay"


def replied_of(text: str, removed: int) -> int:
    """How many of the removed dates stay as cancelled, by the words of a difference."""
    some = re.search(r"(\d+) of them (?:has|have) RSVPs", text)
    return int(some[1]) if some else removed * ("RSVPs" in text)


@pytest.mark.parametrize(
    ("start", "repeat"),
    [
        ("2026-03-22T18:30", {"frequency": "weekly", "interval": 2, "count": 3}),
        ("2026-03-29T18:30", {"frequency": "weekly", "count": 2}),
        ("2026-03-22T19:00", {"frequency": "weekly", "count": 2}),
        ("2026-04-05T18:30", None),
    ],
)
def test_saving_does_what_the_preview_told(admin_client: Client, start: str, repeat: dict[str, Any] | None) -> None:
    item = make_event(repeat=WEEKLY)
    for number, row in enumerate([item, *ContentItem.objects.filter(owner=item).order_by("starts_at")][:3]):
        reply(item, row, f"{number}@example.org")
    before = {f"{item.data['at']['start']}", *dates(item)}
    day, _, time = start.partition("T")
    rule = repeat or {}
    parts = {"frequency": rule.get("frequency", ""), "ends": "count", "count": rule.get("count", "")}
    text = difference(admin_client, item, start_date=day, start_time=time, interval=str(rule.get("interval", 1)), **parts)
    change(item, start=start, repeat=repeat)
    item.refresh_from_db()
    cancelled = {start.removesuffix(" cancelled") for start in dates(item) if start.endswith(" cancelled")}
    after = {f"{item.data['at']['start']}", *dates(item)} - {f"{start} cancelled" for start in cancelled}
    clocks = {start[11:] for start in after}
    moved = before & {start.replace("19:00", "18:30") for start in after} if clocks == {"19:00:00"} else set()
    removed, added = before - after - moved, len(after - before) - len(moved)
    for number, words in ((len(removed), "removed"), (added, "added"), (len(before & after), "stay"), (len(moved), "move")):
        assert bool(re.search(rf"\b{number} (dates? )?((is|are) )?{words}", text)) == bool(number), (text, words, number)
    assert replied_of(text, len(removed)) == len(cancelled), text


def test_replies_to_a_single_date_go_along(admin_client: Client) -> None:
    item = make_event()
    reply(item, item)
    text = difference(admin_client, item, start_date="2026-03-29", ends="count", count="2")
    assert text == "published: 1 date moves; 1 is added"
    assert difference(admin_client, item, frequency="") == ""


def test_a_cancelled_date_that_comes_back_is_added(admin_client: Client) -> None:
    item = make_event(repeat=WEEKLY)
    reply(item, ContentItem.objects.get(pk=dates(item)["2026-03-29T18:30:00"]))
    change(item, repeat=None)
    assert difference(admin_client, item, ends="count", count="4") == "published: 3 dates are added; 1 stays"


def test_a_row_that_lost_its_date_is_passed_over(admin_client: Client) -> None:
    item = make_event(repeat=WEEKLY)
    ContentItem.objects.filter(owner=item, data__at__start="2026-03-29T18:30:00").update(data={"title": "Rehearsal"})
    assert difference(admin_client, item, ends="count", count="4") == "published: 1 date is added; 3 stay"
    change(item, repeat={"frequency": "weekly", "count": 4})
    assert len(dates(item)) == 3


def test_a_date_that_does_not_lead_is_not_laid_out(admin_client: Client) -> None:
    item_type = make_type(field("main", "datetime", facet=True), field("at", "datetime"))
    item = make_item(item_type, data={"main": when(repeat=WEEKLY)})
    text = preview_text(admin_client, item_type, item, frequency="weekly")
    assert "No end date." in text
    assert "The dates of these items come from “Main”." in text
    assert "When this is" not in text


def test_a_draft_is_compared_with_what_is_laid_out(admin_client: Client) -> None:
    item = make_event(repeat=WEEKLY)
    draft = item.get_latest_revision_as_object() if item.latest_revision_id else item
    draft.data = {**item.data, "at": {**item.data["at"], "repeat": None}}
    draft.save_revision()
    text = said(admin_client.get(f"/admin/content/items/edit/{item.pk}/"))
    assert "When this is published: 3 dates are removed; 1 stays." in text


def test_the_form_opens_with_the_preview(admin_client: Client) -> None:
    item = make_event(repeat=WEEKLY)
    text = said(admin_client.get(f"/admin/content/items/edit/{item.pk}/"))
    assert "Every week on Sunday, 4 times" in text
    assert "all 4 dates stay as they are." in text
    assert ", all upcoming." not in said(admin_client.get(f"/admin/content/items/add/?type={item.type.slug}"))


def test_a_copy_begins_with_the_rule_and_replaces_nothing(admin_client: Client) -> None:
    item = make_event(repeat=WEEKLY)
    text = said(admin_client.get(f"/admin/content/items/copy/{item.pk}/"))
    assert "Every week on Sunday, 4 times" in text
    assert "When this is" not in text


def test_the_form_takes_as_many_queries_for_many_dates(admin_client: Client) -> None:
    item = make_event(repeat=WEEKLY)

    def queries() -> int:
        url = f"/admin/content/items/edit/{item.pk}/"
        admin_client.get(url)
        with CaptureQueriesContext(connection) as captured:
            admin_client.get(url)
        return len(captured)

    few = queries()
    change(item, repeat={"frequency": "daily", "count": 300})
    assert queries() == few


def test_it_is_there_while_the_feature_is_off(admin_client: Client, dated: ContentType) -> None:
    switch_feature(name="events", on=False)
    assert preview_text(admin_client, dated, frequency="daily").startswith("Every day")


def test_a_type_whose_feature_is_off_is_not_found(admin_client: Client) -> None:
    item_type = make_type(field("at", "datetime"), feature="events")
    switch_feature(name="events", on=True)
    assert admin_client.post(URL, sent(item_type, frequency="daily")).status_code == 200
    switch_feature(name="events", on=False)
    assert admin_client.post(URL, sent(item_type, frequency="daily")).status_code == 404


def test_without_a_repetition_there_is_nothing_to_tell(admin_client: Client, dated: ContentType) -> None:
    assert preview_text(admin_client, dated) == ""
    assert preview_text(admin_client, dated, make_item(dated, data={"at": when()})) == ""
    assert preview_text(admin_client, dated, start_date="", start_time="") == ""
    waiting = preview_text(admin_client, dated, start_date="", start_time="", frequency="daily")
    assert waiting == "Enter a start to see the dates."


def test_mistakes_read_as_they_will_on_save(admin_client: Client, dated: ContentType) -> None:
    mistakes: list[tuple[dict[str, Any], str]] = [
        ({"start_date": "2026-02-30"}, "The start field must be a valid date and time, as in 2026-03-01T18:30."),
        ({"start_date": "99999-01-01"}, "The start field must be a valid date and time, as in 2026-03-01T18:30."),
        ({"end_date": "2001-01-01", "end_time": "10:00"}, "The end field must be a date after or equal to start."),
        ({"tz": "Mars/Olympus"}, "The selected tz is invalid."),
        ({"tz": "../../etc/passwd"}, "The selected tz is invalid."),
        ({"tz": "Europe/Paris\0"}, "The selected tz is invalid."),
        ({"frequency": "hourly"}, "The selected frequency is invalid."),
        ({"interval": "0"}, "The interval field"),
        ({"interval": "9" * 5000}, "The interval field"),
        ({"ends": "count", "count": "1001"}, "The count field"),
        ({"ends": "until", "until": "2001-01-01"}, "The until field must be a date after or equal to start."),
        ({"weekdays": ["mon", "<script>"]}, "The selected weekdays"),
    ]
    url = f"/admin/content/items/edit/{make_item(dated, data={'at': when()}).pk}/"
    for number, (parts, sentence) in enumerate(mistakes):
        begins = {"frequency": "weekly", **parts}
        text = preview_text(admin_client, dated, **begins)
        assert text.startswith(sentence), parts
        # The page of the form takes longer: a date, a zone, a number and a list.
        if number in {0, 3, 8, 11}:
            whole = {**sent(dated, **begins), "data__title": "T", "action-publish": "1"}
            assert text in said(admin_client.post(url, whole)), parts


def test_an_address_that_leads_nowhere_is_refused(admin_client: Client, dated: ContentType) -> None:
    for changes, status in (
        ({"type": ""}, 404),
        ({"type": "no-such-type"}, 404),
        ({"type": "x\0"}, 404),
        ({"name": ""}, 404),
        ({"name": "data__title"}, 404),
        ({"name": "at"}, 404),
        ({"item": "999999999999999999"}, 404),
        ({"item": "9" * 30}, 400),
        ({"item": "-1"}, 400),
        ({"item": "1 or 1"}, 400),
        ({"item": "\0"}, 400),
        ({"item": "²"}, 400),
    ):
        assert admin_client.post(URL, {**sent(dated, frequency="daily"), **changes}).status_code == status, changes


def test_an_item_of_another_type_and_an_owned_one_are_not_found(admin_client: Client, dated: ContentType) -> None:
    item = make_event(repeat=WEEKLY)
    row = ContentItem.objects.filter(owner=item).first()
    assert admin_client.post(URL, sent(dated, item)).status_code == 404
    assert admin_client.post(URL, sent(item.type, row)).status_code == 404


def test_a_broken_body_is_refused(admin_client: Client) -> None:
    broken = admin_client.post(URL, b"\0\xff--", content_type="multipart/form-data")
    assert broken.status_code in {400, 404}
    typed = "application/x-www-form-urlencoded"
    assert admin_client.post(URL, b"type=%ED%A0%80&item=%00&name=%FF", content_type=typed).status_code == 404
    assert admin_client.post(URL).status_code == 404
    assert admin_client.get(URL).status_code == 405


def test_letters_that_are_none_are_a_mistake(admin_client: Client, dated: ContentType) -> None:
    body = f"type={dated.slug}&name=data__at&data__at-start_date=2026-03-02&data__at-frequency=%ED%A0%80&data__at-tz=%FF"
    answer = admin_client.post(URL, body.encode(), content_type="application/x-www-form-urlencoded")
    assert "The selected tz is invalid." in said(answer)


def test_what_is_sent_is_never_markup(admin_client: Client) -> None:
    item_type = make_type({"key": "main", "label": "<b>Main</b>", "type": "datetime", "facet": True}, field("at", "datetime"))
    answer = admin_client.post(URL, sent(item_type, frequency="<script>alert(1)</script>"))
    assert b"<script" not in answer.content
    assert b"<b>Main" not in admin_client.post(URL, sent(item_type, frequency="daily")).content


@pytest.mark.parametrize("person", [people.alice, people.mallory_manager, people.bob])
def test_editors_may_ask(sign_in: SignIn, dated: ContentType, person: Callable[[], Any]) -> None:
    client = sign_in(person())
    assert preview_text(client, dated, frequency="daily").startswith("Every day")
    assert preview_text(client, dated, make_item(dated), frequency="daily").startswith("Every day")


def test_nobody_else_may(sign_in: SignIn, dated: ContentType) -> None:
    item = make_item(dated)
    assert Client().post(URL, sent(dated, item)).status_code == 302
    assert sign_in(people.charlie()).post(URL, sent(dated, item)).status_code in {302, 403}
    assert Client().post(URL, sent(dated, item), headers={"X-Requested-With": "XMLHttpRequest"}).status_code == 403


def test_a_person_of_the_admin_needs_the_permission(sign_in: SignIn, dated: ContentType) -> None:
    person = people.charlie()
    person.user_permissions.add(Permission.objects.get(codename="access_admin"))
    client, item = sign_in(person), make_item(dated)
    for sought in (sent(dated, item), sent(dated)):
        assert client.post(URL, sought, headers={"X-Requested-With": "XMLHttpRequest"}).status_code == 403
    person.user_permissions.add(Permission.objects.get(codename="add_contentitem", content_type__app_label="content"))
    client = sign_in(type(person).objects.get(pk=person.pk))
    assert client.post(URL, sent(dated), headers={"X-Requested-With": "XMLHttpRequest"}).status_code == 200
    assert client.post(URL, sent(dated, item), headers={"X-Requested-With": "XMLHttpRequest"}).status_code == 403


def test_it_needs_the_token_against_forgery(dated: ContentType) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(people.alice())
    assert client.post(URL, sent(dated, frequency="daily")).status_code == 403


def test_nothing_is_written_and_queries_stay_the_same(admin_client: Client) -> None:
    item = make_event(repeat=WEEKLY)
    rows = list(ContentItem.objects.filter(owner=item))
    reply(item, rows[0])
    preview_text(admin_client, item.type, item, frequency="weekly")

    def queries(count: str) -> list[str]:
        with CaptureQueriesContext(connection) as captured:
            preview_text(admin_client, item.type, item, start_date="2026-03-22", frequency="daily", ends="count", count=count)
        return [query["sql"] for query in captured]

    def stored() -> list[list[dict[str, Any]]]:
        return [list(model.objects.order_by("pk").values()) for model in (ContentItem, Series, Rsvp)]

    before, few = stored(), queries("2")
    assert stored() == before
    change(item, repeat={"frequency": "daily", "count": 300})
    for number, row in enumerate(ContentItem.objects.filter(owner=item)[:40]):
        reply(item, row, f"{number}@example.org")
    assert len(queries("600")) == len(few)
    assert [sql for sql in few if not sql.startswith("SELECT")] == []
