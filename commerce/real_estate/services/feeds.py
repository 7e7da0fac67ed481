"""Creates, changes and deletes feeds."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice, taken_message
from cms_api.core.records import lock_or_build, store_record
from cms_api.flags.selectors import site_country
from cms_api.media.services.private import delete_after_commit
from cms_api.outbound.addresses import check_url
from cms_api.text.addresses import country_code
from commerce.common.services.checks import check_line, is_whole

from ..models import Feed, FeedRun, Property
from ..types.listings import MAX_CLIENT_ID, MAX_FEED_NAME, MAX_LICENSE, MAX_TOKEN, OPEN, FeedKind, RunKind, RunStatus
from .photos import switch_copying
from .storing import remove_properties

LINES = {
    "name": MAX_FEED_NAME,
    "photo_license": MAX_LICENSE,
    "token": MAX_TOKEN,
    "client_secret": MAX_TOKEN,
    "client_id": MAX_CLIENT_ID,
    "scope": MAX_CLIENT_ID,
}
TEXTS = ("name", "photo_license", "url", "kind", "currency", "country", "token_url", "client_id", "scope")
#: Values that are never shown. Each is sent to the host of an address only, and forgotten with another host.
SECRETS = {"token": "url", "client_secret": "token_url"}
FLAGS = ("enabled", "copies_photos", "shows_coming_soon")
#: Whole numbers with their limits.
NUMBERS = {"interval_minutes": (5, 7 * 24 * 60), "page_size": (1, 5000)}
BUSY = "This feed is being imported. Stop the import first."
#: After a change of one of these, every listing is read again.
_AFFECTS_ALL = ("url", "currency", "country", "shows_coming_soon")
_BATCH_ROWS = 500


@transaction.atomic
def save_feed(*, values: Mapping[str, Any], feed: Feed | None = None, user: Any = None) -> Feed:
    """Create or change a feed; values not given are unchanged. Raises Invalid by name.

    `values` may have the editable columns, and `token` and `client_secret`, which are never shown: an empty one leaves it
    as it is. With another host, or with `clear_token` or `clear_client_secret`, the stored one is forgotten.
    """
    now = timezone.now()
    saved = lock_or_build(Feed, feed, created_at=now, currency=settings.SITE_CURRENCY, country=site_country())
    before = {name: getattr(saved, name) for name in _AFFECTS_ALL}
    copied = saved.copies_photos
    _assign(saved, values)
    if feed is not None and any(getattr(saved, name) != value for name, value in before.items()):
        saved.watermark = saved.keys_checked_at = None
        saved.expands_media = saved.has_text_keys = saved.counts = True
        # They would go on with the pages of the former address, and with the new token.
        runs = FeedRun.objects.filter(feed=saved, status__in=OPEN).exclude(kind=RunKind.FILE)
        runs.update(status=RunStatus.STOPPED, finished_at=now, resumes_at=None, next_link="")
    saved.next_run_at = now
    saved.updated_at = now
    store_record(saved, user=user, refusal={"name": taken_message("name")})
    if feed is not None:
        if saved.copies_photos != copied:
            switch_copying(saved, now)
        feed.refresh_from_db()
    return saved


def _assign(feed: Feed, values: Mapping[str, Any]) -> None:
    errors = ErrorCollector()
    former = {name: getattr(feed, name) for name in ("url", "token_url", "client_id", "scope")}
    for name in TEXTS:
        if name in values:
            value = values[name]
            setattr(feed, name, value.strip() if isinstance(value, str) else "")
    for name, longest in LINES.items():
        if name in values or name == "name":
            check_line(errors, name, values[name] if name in SECRETS else getattr(feed, name), longest, needed=name == "name")
    for name in FLAGS:
        if name in values:
            setattr(feed, name, bool(values[name]))
    for name, (lowest, highest) in NUMBERS.items():
        if name in values:
            setattr(feed, name, values[name])
            if not is_whole(values[name], lowest, highest):
                errors.add(name, f"The {name.replace('_', ' ')} must be a whole number between {lowest} and {highest:,}.")
    if feed.kind not in FeedKind.values:
        errors.add("kind", invalid_choice("kind", FeedKind.values))
    _check_texts(feed, errors)
    if not feed.copies_photos and not feed.photo_license:
        errors.add("photo_license", "Name the license under which photos may be linked, or copy them.")
    errors.raise_if_any()
    _set_secrets(feed, values, former)


def _check_texts(feed: Feed, errors: ErrorCollector) -> None:
    if feed.kind == FeedKind.RESO or feed.url:
        with errors.under():
            check_url(feed.url)
    if feed.token_url:
        with errors.under():
            _check_token_url(feed)
    currency = feed.currency.lower()
    if not (len(currency) == 3 and currency.isascii() and currency.isalpha()):
        errors.add("currency", "The currency must be a code of three letters.")
    feed.currency = currency
    code = country_code(feed.country)
    if not code:
        errors.add("country", invalid_choice("country"))
    feed.country = code


def _check_token_url(feed: Feed) -> None:
    try:
        check_url(feed.token_url)
    except Invalid as refusal:
        raise Invalid({"token_url": refusal.message}) from None
    if not feed.client_id:
        raise Invalid({"client_id": "Enter the client ID that the provider has given you, or no token URL."})


def _set_secrets(feed: Feed, values: Mapping[str, Any], former: Mapping[str, str]) -> None:
    for name, address in SECRETS.items():
        secret = str(values.get(name) or "").strip()
        if not secret.isascii():
            raise Invalid({name: f"The {name.replace('_', ' ')} may contain only ASCII characters."})
        has_moved = urlsplit(getattr(feed, address)).netloc != urlsplit(former[address]).netloc
        if secret or has_moved or values.get(f"clear_{name}"):
            setattr(feed, name, secret)
    is_same = urlsplit(feed.url).netloc == urlsplit(former["url"]).netloc
    if not is_same or values.get("client_secret") or any(getattr(feed, name) != former[name] for name in former if name != "url"):
        feed.access_token, feed.access_token_ends_at = "", None


@transaction.atomic
def delete_feed(*, feed: Feed, user: Any = None) -> None:
    """Delete a feed with its listings and runs. Raises Invalid (`feed`) while it is being imported."""
    locked = Feed.objects.select_for_update().filter(Feed.free(timezone.now()), pk=feed.pk).first()
    if locked is None:
        raise Invalid({"feed": BUSY})
    log(instance=locked, action="wagtail.delete", user=user)
    listings = Property.objects.filter(feed=locked).order_by("pk").values_list("pk", flat=True)
    while ids := list(listings[:_BATCH_ROWS]):
        remove_properties(locked, ids)
    for run in FeedRun.objects.filter(feed=locked).exclude(file=""):
        forget_file(run)
    locked.delete()


def forget_file(run: FeedRun) -> None:
    """Delete the file of a run once the transaction commits."""
    delete_after_commit(run.file.storage, run.file.name or "")
