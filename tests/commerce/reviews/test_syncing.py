"""Reviews of other providers, from JSON and CSV: each once, a change is taken over, hiding stays."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from wagtail.models import ModelLogEntry

from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from commerce.reviews.models import Review
from commerce.reviews.services import approve_review, hide_review, reply_to_review, sync_reviews, syncing
from commerce.reviews.services.reading import read
from commerce.reviews.services.syncing import Synced, write
from commerce.reviews.types import values_of_file
from tests.client import together
from tests.commerce.shop.outcomes import emitted
from tests.memory import limited_memory

from .builders import google, make_review, sync, synced_review

pytestmark = pytest.mark.django_db

YELP = {"id": "y1", "rating": 3, "text": "Fine.", "user": {"name": "Tom H."}, "time_created": "2026-01-05 09:30:00"}
FACEBOOK = {
    "recommendation_type": "negative",
    "review_text": "Too crowded.",
    "created_time": "2026-01-06T12:00:00+0000",
    "open_graph_story": {"id": "f1"},
}


def state(review: Review) -> tuple[Any, ...]:
    review.refresh_from_db()
    return review.rating, review.body, review.is_visible, review.updated_at


@pytest.mark.both_databases
def test_it_works() -> None:
    reply = {"reviewReply": {"comment": "Thanks!"}}
    assert sync(google(1, **reply), google(2, starRating="FIVE")) == Synced(created=2)
    review = Review.objects.get(provider_key="google:g-1")
    assert (review.provider, review.rating, review.author_name, review.body) == ("google", 4, "Ruth Adeyemi", "Lovely place.")
    assert (review.reply, review.author_email, review.is_public) == ("Thanks!", None, True)
    assert (review.left_at.isoformat(), review.synced_at is not None) == ("2026-01-01T10:00:00+00:00", True)
    assert [payload["rating"] for _, payload in emitted("review.")] == [4, 5]


def test_other_providers() -> None:
    set_setting(key="site.timezone", value="America/New_York")
    sync(YELP, provider="yelp")
    sync_reviews(provider="facebook", content=json.dumps({"data": [FACEBOOK]}).encode())
    yelp, facebook = Review.objects.get(provider="yelp"), Review.objects.get(provider="facebook")
    # Without a zone, on the site's clock.
    assert (yelp.rating, yelp.author_name, yelp.left_at.hour) == (3, "Tom H.", 14)
    assert (facebook.rating, facebook.author_name, facebook.body) == (1, "Facebook user", "Too crowded.")


@pytest.mark.both_databases
def test_the_same_file_twice_changes_nothing(clock: Callable[[str], None]) -> None:
    clock("2026-02-01 08:00")
    review = synced_review()
    before = state(review)
    clock("2026-02-02 08:00")
    assert sync(google()) == Synced(unchanged=1)
    assert state(review) == before
    assert review.synced_at
    assert review.synced_at.day == 2
    assert len(emitted("review.")) == 1


@pytest.mark.both_databases
def test_a_change_is_taken_over_and_hiding_stays() -> None:
    review = synced_review()
    hide_review(review=review, reason="Names a customer.")
    assert sync(google(starRating="ONE", comment="Worse now.")) == Synced(changed=1)
    assert state(review)[:3] == (1, "Worse now.", False)
    assert review.hidden_reason == "Names a customer."
    assert len(emitted("review.")) == 1


def test_our_reply_stays_unless_the_provider_has_one() -> None:
    review = synced_review()
    reply_to_review(review=review, reply="Ours")
    sync(google())
    assert Review.objects.get().reply == "Ours"
    sync(google(reviewReply={"comment": "Theirs"}))
    assert Review.objects.get().reply == "Theirs"


def test_a_removed_review_is_marked_and_hidden() -> None:
    own = make_review()
    review, yelp = synced_review(), sync(YELP, provider="yelp")
    assert yelp.created == 1
    assert sync(google(2), is_complete=True) == Synced(created=1, removed=1)
    review.refresh_from_db()
    assert (review.is_visible, review.hidden_reason, review.removed_at is not None) == (False, "Removed at its provider.", True)
    assert sync(google(2), is_complete=True) == Synced(unchanged=1)
    # It comes back.
    assert sync(google(1), google(2), is_complete=True) == Synced(changed=1, unchanged=1)
    review.refresh_from_db()
    assert (review.is_visible, review.removed_at) == (True, None)
    own.refresh_from_db()
    assert own.pending
    assert Review.objects.get(provider="yelp").is_public


def test_one_that_somebody_hid_stays_hidden_when_it_comes_back() -> None:
    review = synced_review()
    hide_review(review=review, reason="Names a customer.")
    sync(google(2), is_complete=True)
    sync(google(1), google(2), is_complete=True)
    review.refresh_from_db()
    assert (review.is_visible, review.hidden_reason, review.removed_at) == (False, "Names a customer.", None)
    assert approve_review(review=review)


def test_every_review_that_is_refused_is_named() -> None:
    wrong = [
        ({"starRating": "TEN"}, "The rating"),
        ({"createTime": "yesterday"}, "The date must be one such as"),
        ({"createTime": "2999-01-01"}, "The left at may not be in the future."),
        ({"reviewId": "x" * 201}, "200 characters"),
        ({"url": "javascript:alert(1)"}, "valid URL"),
        ({"comment": "a\0b"}, ""),
        ({"reviewer": {}, "reviewId": ""}, ""),
    ]
    synced = sync(google(1), *(google(number, **changes) for number, (changes, _) in enumerate(wrong, start=2)))
    for number, ((_, words), sentence) in enumerate(zip(wrong, synced.mistakes, strict=True), start=2):
        assert sentence.startswith(f"Review {number}: ")
        assert words in sentence
    assert (synced.created, synced.refused, Review.objects.count()) == (1, len(wrong), 1)


@pytest.mark.both_databases
def test_reviews_that_are_refused_are_not_hidden() -> None:
    sync(google(1), google(2), google(3))
    synced = sync(google(1), google(2, starRating="TEN"), is_complete=True)
    assert (synced.unchanged, synced.refused, synced.removed) == (1, 1, 1)
    assert set(Review.objects.filter(is_visible=True).values_list("provider_key", flat=True)) == {"google:g-1", "google:g-2"}
    # Of one without an id, nobody knows which it is.
    synced = sync(google(1), google(2, reviewId=""), is_complete=True)
    assert (synced.refused, synced.removed) == (1, 0)
    assert synced.mistakes[-1] == "No review was hidden, as reviews that were refused have no id."


def test_places_takeout_and_trustpilot() -> None:
    places = {
        "name": "places/ChIJ1/reviews/p-1",
        "rating": 5,
        "text": {"text": "Lovely.", "languageCode": "en"},
        "originalText": {"text": "Herrlich.", "languageCode": "de"},
        "authorAttribution": {"displayName": "Uta Kern"},
        "publishTime": "2026-01-03T10:00:00.123456789Z",
    }
    older = {
        "author_name": "Tom Hall",
        "author_url": "https://maps.example/contrib/7",
        "rating": 4,
        "text": "Good.",
        "time": 1767225600,
    }
    takeout = {**google(9), "name": "accounts/1/locations/2/reviews/t-9"}
    del takeout["reviewId"]
    sync(places, takeout)
    sync_reviews(provider="google", content=json.dumps({"result": {"reviews": [older]}}).encode())
    found = {each.provider_key: each for each in Review.objects.all()}
    assert set(found) == {"google:p-1", "google:t-9", "google:https://maps.example/contrib/7"}
    first = found["google:p-1"]
    assert (first.author_name, first.rating, first.body, first.left_at.day) == ("Uta Kern", 5, "Herrlich.", 3)
    assert found["google:https://maps.example/contrib/7"].left_at.isoformat() == "2026-01-01T00:00:00+00:00"
    trustpilot = {
        "id": "tp-1",
        "stars": 2,
        "title": "Slow",
        "text": "It took weeks.",
        "createdAt": "2026-01-05T08:00:00Z",
        "consumer": {"displayName": "Ana"},
        "companyReply": {"text": "We are sorry."},
    }
    sync(trustpilot, provider="trustpilot")
    review = Review.objects.get(provider="trustpilot")
    assert (review.rating, review.author_name, review.title, review.reply) == (2, "Ana", "Slow", "We are sorry.")


def test_empty_cells_of_a_csv_file_change_nothing() -> None:
    row = {
        "provider": "Google",
        "provider_id": "g-1",
        "rating": "4",
        "left_at": "2026-01-01",
        "author_name": "Ruth",
        "body": "Good.",
    }
    write([read(row, {})], {})
    assert write([read({**row, "author_name": "", "body": " ", "rating": "5"}, {})], {}) == ["updated"]
    review = Review.objects.get()
    assert (review.rating, review.author_name, review.body) == (5, "Ruth", "Good.")


#: Files that do not take much to read.
REFUSED: dict[bytes, str] = {
    b"{": "This is no JSON file.",
    b'{"a": 1}': "The file has no list of reviews.",
    b"[1]": "The file has no list of reviews.",
    b'{"reviews": {"a": 1}}': "The file has no list of reviews.",
    "[]".encode("utf-16") + b"\0\xd8": "This is no JSON file.",
    b"\x1f\x8b" + b"\0" * 1000: "This is no JSON file.",
}


@pytest.mark.parametrize(("content", "sentence"), REFUSED.items(), ids=range(len(REFUSED)))
def test_files_that_are_refused(content: bytes, sentence: str) -> None:
    with pytest.raises(Invalid) as refusal:
        values_of_file(content)
    assert refusal.value.errors == {"file": [sentence]}


HOSTILE: dict[str, tuple[bytes, str]] = {
    "lists": (b'{"reviews": [' + b"[]," * 1_000_000 + b"[]]}", "The file has no list of reviews."),
    "objects": (b"[" + b"{}," * 1_000_000 + b"{}]", "The file has more than 20,000 reviews. Split it into several files."),
    "a review of lists": (
        b'[{"a": [' + b"[]," * 1_000_000 + b"[]]}]",
        "Review 1: The rating field is required.",
    ),
    "a million keys": (
        b"[{" + b",".join(b'"%d":0' % number for number in range(1_000_000)) + b"}]",
        "Review 1: The rating field is required.",
    ),
    "nested lists": (b"[" * 3_000_000, "This is no JSON file."),
    "nested objects": (b'{"a":' * 600_000, "This is no JSON file."),
    "a number of a million digits": (
        b'[{"id": "1", "rating": ' + b"9" * 1_000_000 + b"}]",
        "Review 1: The rating field is required.",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_take_no_memory_here(name: str) -> None:
    content, sentence = HOSTILE[name]
    with limited_memory(15_000_000), pytest.raises(Invalid) as refusal:
        sync_reviews(provider="google", content=content)
    assert list(refusal.value.errors) == ["file"]
    assert refusal.value.message.startswith(sentence)


@pytest.mark.both_databases
def test_a_large_file_is_stored_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syncing, "BATCH", 2)
    sizes: dict[str, list[int]] = {"_store": [], "_remove": []}

    def counted(name: str) -> Callable[..., Any]:
        whole = getattr(syncing, name)

        def count(*given: Any) -> Any:
            sizes[name].append(len(given[-1]))
            return whole(*given)

        return count

    for name in sizes:
        monkeypatch.setattr(syncing, name, counted(name))
    assert sync(*(google(number) for number in range(1, 8)), google(7, starRating="ONE")) == Synced(created=7, unchanged=1)
    assert sync(google(3), google(7), google(8), is_complete=True) == Synced(created=1, changed=1, removed=5, unchanged=1)
    assert sizes == {"_store": [2, 2, 2, 1, 2, 1], "_remove": [2, 2, 1]}
    logged = ModelLogEntry.objects.filter(action="reviews.removed").values_list("label", flat=True)
    assert (len(logged), len(set(Review.objects.filter(removed_at=None)))) == (5, 3)


#: By name: a text as programs write it, and the stored one.
TEXTS: dict[str, tuple[bytes, str]] = {
    "half of a pair in UTF-16": (b'"cut \\ud83d"', "cut ?"),
    "Latin-1": (b'"caf\xe9"', "caf\ufffd"),
    "a control character": (b'"a\tb"', "a\tb"),
    "NaN": (b"NaN", ""),
    "another control character": (b'"a\x01b"', "a\x01b"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_that_strict_parsers_refuse(name: str) -> None:
    written, expected = TEXTS[name]
    content = json.dumps([google(1), google(2, comment="HERE")]).encode().replace(b'"HERE"', written)
    assert sync_reviews(provider="google", content=content) == Synced(created=2)
    assert Review.objects.get(provider_key="google:g-2").body == expected


def test_an_id_that_is_broken_is_none() -> None:
    with pytest.raises(Invalid) as refusal:
        sync_reviews(provider="google", content=json.dumps([google(reviewId="a\ud800")]).encode())
    assert refusal.value.message == "Review 1: The provider id field is required."


def test_an_empty_complete_file_is_refused() -> None:
    synced_review()
    with pytest.raises(Invalid):
        sync(is_complete=True)
    with pytest.raises(Invalid):
        sync(google(), provider="site")
    assert Review.objects.get().is_visible


def test_rows_of_a_csv_file() -> None:
    row = {"provider": "Google", "provider_id": "g-1", "rating": "4", "left_at": "2026-01-01", "author_name": "Ruth"}
    rows = [read(each, {}) for each in (row, {**row, "provider_id": "g-2"}, {**row, "rating": "5"})]
    # The last row about a review counts.
    assert write(rows, {}) == ["created", "created", "unchanged"]
    assert write(rows, {}) == ["unchanged"] * 3
    assert Review.objects.get(provider_key="google:g-1").rating == 5
    assert write([read({**row, "removed": "Yes"}, {})], {}) == ["updated"]
    assert not Review.objects.get(provider_key="google:g-1").is_visible
    for wrong in ({"provider": "tripadvisor"}, {"provider": "site"}, {"rating": "9"}, {"provider_id": ""}, {"left_at": ""}):
        with pytest.raises(Invalid):
            read({**row, **wrong}, {})


@pytest.mark.django_db(transaction=True)
def test_imports_at_once_create_each_review_once() -> None:
    rows = [google(number) for number in range(1, 10)]
    synced = together(lambda number: sync(*rows[:: -1 if number % 2 else 1]), 5)
    assert sum(each.created for each in synced) == Review.objects.count() == 9
    assert len(emitted("review.")) == 9


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "google.json"
    file.write_text(json.dumps({"reviews": [google(1), google(2)]}))
    call_command("import_reviews", "google", str(file))
    file.write_text(json.dumps([google(2)]))
    call_command("import_reviews", "google", str(file), "--complete")
    assert capsys.readouterr().out.splitlines() == [
        "2 new, 0 changed, 0 unchanged, 0 refused, 0 removed.",
        "0 new, 0 changed, 1 unchanged, 0 refused, 1 removed.",
    ]
    file.write_text("{")
    with pytest.raises(CommandError, match="no JSON file"):
        call_command("import_reviews", "google", str(file))
    with pytest.raises(CommandError, match="No such file"):
        call_command("import_reviews", "google", str(tmp_path / "nothing.json"))
