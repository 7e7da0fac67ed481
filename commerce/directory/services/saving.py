"""Creates, changes and deletes listings."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log
from wagtail.search.backends import get_search_backend

from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice
from cms_api.core.identifiers import MAX_ID
from cms_api.core.records import set_values
from cms_api.fields.texts import is_web_url
from cms_api.flags.selectors import get_setting
from cms_api.media.services.library import lock_images
from cms_api.text.keyboards import fold_keyboard
from commerce.common.services.checks import check_line, check_text, is_whole
from commerce.common.services.media_usage import write_pictures
from commerce.common.services.slugs import store_with_slug
from commerce.common.types import MAX_LINE, MAX_PHONE, read_email
from commerce.common.types import MAX_NAME as MAX_PART

from ..models import Category, Listing
from ..types.hours import read_special_days, read_week
from ..types.listings import (
    ADDRESS,
    MAX_CATEGORIES,
    MAX_DESCRIPTION,
    MAX_NAME,
    MAX_PICTURES,
    MAX_URL,
    RESERVED,
    ListingStatus,
)
from ..types.terms import COLUMNS
from . import notices
from .changed import (
    close_purchases,
    end_changes_of_others,
    index_listing,
    invalidate_listings,
    lock_listing,
    set_opening,
)
from .statuses import begin_terms, kept_end

#: One line of text each, and its greatest length.
LINES = {
    "name": MAX_NAME,
    "phone": MAX_PHONE,
    "street": MAX_LINE,
    "street2": MAX_LINE,
    "city": MAX_PART,
    "state": MAX_PART,
    "postal_code": 30,
    "country": MAX_PART,
}
BOUNDS = {"latitude": 90, "longitude": 180}


@transaction.atomic
def save_listing(*, values: Mapping[str, Any], listing: Listing | None = None, user: Any = None) -> Listing:
    """Create or change a listing; values not given are unchanged. A new one's slug defaults to one made from its name.

    Besides the columns of the model, `values` may have `logo` and `cover` (ids of images of the library, or None), `pictures`
    (ids, in display order), `categories` (ids) and `owner` (an account, or None). `hours` and `special_hours` are as
    `types.hours` reads them. With the first publication the terms begin that were paid before, unless `values` change their ends,
    and the owner is told. Raises Invalid by path: `hours.mon.0.open`.
    """
    now = timezone.now()
    errors = ErrorCollector()
    known = lock_pictures(values)
    images = {name: values[name] for name in ("logo", "cover") if name in values}
    for name, image in images.items():
        if image is not None and not _is_known(image, known):
            errors.add(name, invalid_choice(name))
    pictures = _check_pictures(errors, values["pictures"], known) if "pictures" in values else None
    saved = lock_listing(listing.pk) if listing else Listing(created_at=now, timezone=str(get_setting("site.timezone")))
    was_new, former = saved.pk is None, {column: getattr(saved, column) for column in COLUMNS.values()}
    assign(errors, saved, values)
    if "categories" in values:
        categories = check_categories(errors, values["categories"])
    _assign_state(errors, saved, values)
    errors.raise_if_any()
    for name, image in images.items():
        setattr(saved, f"{name}_id", image)
    is_first = saved.is_published and saved.published_at is None
    if is_first:
        saved.published_at = now
    if is_first and not was_new:
        begin_terms(saved, now, kinds=[kind for kind, column in COLUMNS.items() if getattr(saved, column) == former[column]])
    set_opening(saved, now)
    saved.updated_at = now
    store_with_slug(saved, values, "listing", user=user, reserved=RESERVED)
    if "categories" in values:
        saved.categories.set(categories)
    if pictures is not None:
        write_pictures(saved.pictures, pictures)
    index_listing(saved)
    if is_first and not was_new:
        notices.send_published(saved)
    if not was_new:
        close_purchases(saved)
    if "owner" in values:
        end_changes_of_others(saved)
    invalidate_listings()
    return saved


def lock_pictures(values: Mapping[str, Any]) -> Collection[int]:
    """Lock the images that values name, and return the ids of those that exist.

    Call it before the listing is locked, as the deletion of an image locks in this order.
    """
    pictures = values.get("pictures")
    sent = [values.get("logo"), values.get("cover"), *(pictures if isinstance(pictures, Sequence) else ())]
    ids = {each for each in sent if is_whole(each, 1, MAX_ID)}
    return lock_images(ids) if ids else ()


def _is_known(image: Any, known: Collection[int]) -> bool:
    # True is no id, though it equals 1.
    return type(image) is int and image in known


def assign(errors: ErrorCollector, listing: Listing, values: Mapping[str, Any]) -> None:
    """Set the texts, the address, the coordinates and the hours of a listing, unsaved, and collect what is wrong."""
    for name, longest in LINES.items():
        if name in values:
            value = values[name]
            if name == "postal_code" and isinstance(value, str):
                value = fold_keyboard(value)
            setattr(listing, name, " ".join(value.split()) if isinstance(value, str) and "\n" in value else value)
            check_line(errors, name, getattr(listing, name), longest, needed=name == "name")
            if isinstance(value, str):
                setattr(listing, name, getattr(listing, name).strip())
    if not listing.name and "name" not in errors.errors:
        check_line(errors, "name", "", MAX_NAME, needed=True)
    if "description" in values:
        listing.description = values["description"]
        check_text(errors, "description", listing.description, MAX_DESCRIPTION)
    if "email" in values:
        listing.email = ""
        if email := str(values["email"] or "").strip():
            with errors.under():
                listing.email = read_email(email)
    if "website" in values:
        listing.website = str(values["website"] or "").strip()
        is_url = listing.website.isprintable() and len(listing.website) <= MAX_URL and is_web_url(listing.website)
        if listing.website and not is_url:
            errors.add("website", "The website must be an address that begins with http:// or https://.")
    _assign_coordinates(errors, listing, values)
    _assign_hours(errors, listing, values)


def _assign_coordinates(errors: ErrorCollector, listing: Listing, values: Mapping[str, Any]) -> None:
    for name, bound in BOUNDS.items():
        if name in values:
            value = values[name]
            is_number = isinstance(value, int | float) and not isinstance(value, bool) and -bound <= value <= bound
            if value is not None and not is_number:
                errors.add(name, f"The {name} must be between -{bound} and {bound}.")
                value = None
            setattr(listing, name, None if value is None else float(value))
    if (listing.latitude is None) != (listing.longitude is None) and not errors.errors:
        missing = "latitude" if listing.latitude is None else "longitude"
        errors.add(missing, f"The {missing} is missing. Enter both coordinates or none.")


def _assign_hours(errors: ErrorCollector, listing: Listing, values: Mapping[str, Any]) -> None:
    if "timezone" in values:
        listing.timezone = str(values["timezone"] or "")
        try:
            ZoneInfo(listing.timezone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            errors.add("timezone", "Select a time zone.")
            listing.timezone = "UTC"
    for name, read in (("hours", read_week), ("special_hours", read_special_days)):
        if name in values:
            with errors.under():
                setattr(listing, name, read(values[name], name))


def _assign_state(errors: ErrorCollector, listing: Listing, values: Mapping[str, Any]) -> None:
    former = listing.expires_at
    if "status" in values:
        listing.status = values["status"]
        if listing.status not in ListingStatus.values:
            errors.add("status", invalid_choice("status", ListingStatus.values))
    set_values(listing, values, ("featured", "featured_until", "expires_at"))
    if listing.expires_at != former:
        # Another term, of which the owner is reminded again.
        listing.reminded_days, listing.ended_notice_at = None, None
    if "featured" in values and "featured_until" not in values:
        listing.featured_until = kept_end(listing, timezone.now())
    if "featured" in values and not listing.featured:
        listing.featured_until = None
    if "owner" in values:
        owner: Any = values["owner"]
        if owner is not None and not get_user_model()._default_manager.filter(pk=owner.pk).exists():
            errors.add("owner", invalid_choice("owner"))
            owner = None
        listing.owner = owner


def check_categories(errors: ErrorCollector, sent: Any) -> list[Category]:
    """Return the categories of some ids, each once."""
    is_list = isinstance(sent, Sequence) and not isinstance(sent, str)
    ids = list(dict.fromkeys(sent)) if is_list and all(is_whole(each, 1, MAX_ID) for each in sent) else None
    if ids is None or len(ids) > MAX_CATEGORIES:
        errors.add("categories", f"Select at most {MAX_CATEGORIES} categories.")
        return []
    found = {
        category.pk: category for category in Category.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("pk")
    }
    if len(found) < len(ids):
        errors.add("categories", invalid_choice("categories"))
    return [found[pk] for pk in ids if pk in found]


def _check_pictures(errors: ErrorCollector, sent: Any, known: Collection[int]) -> list[int]:
    """Return the ids of existing images, each once."""
    is_list = isinstance(sent, Sequence) and not isinstance(sent, str)
    ids = list(dict.fromkeys(sent)) if is_list and all(type(each) is int for each in sent) else None
    if ids is None or len(ids) > MAX_PICTURES:
        errors.add("pictures", f"A listing may have at most {MAX_PICTURES} pictures.")
        return []
    for number, media_id in enumerate(ids):
        if media_id not in known:
            errors.add(f"pictures.{number}", invalid_choice("picture"))
    return ids


@transaction.atomic
def delete_listing(*, listing: Listing, user: Any = None) -> None:
    """Delete a listing with its claims and changes; what was paid for it is kept. Raises NotFound."""
    locked = lock_listing(listing.pk)
    if locked.purchases.filter(status="pending", is_processing=True).exists():
        raise Invalid({"status": "A payment for this listing is on its way. Archive it instead."})
    log(instance=locked, action="wagtail.delete", user=user, deleted=True)
    get_search_backend().delete(locked)
    close_purchases(locked, is_gone=True)
    locked.delete()
    invalidate_listings()


def address_words(listing: Listing) -> str:
    """Return the address in one line, as moderators compare it."""
    return ", ".join(part for name in ADDRESS if (part := getattr(listing, name)))
