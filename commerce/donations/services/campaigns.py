"""Creates, changes and deletes campaigns and fundraisers."""

from collections.abc import Collection, Mapping
from typing import Any

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from wagtail.log_actions import log
from wagtail.search.backends import get_search_backend

from cms_api.auth.services import visitors
from cms_api.core import versions
from cms_api.core.errors import ErrorCollector, Invalid, required_message
from cms_api.core.records import delete_record, lock_or_build, set_values
from cms_api.flags.selectors import get_setting
from cms_api.http.renewing import end_links
from commerce.common.services.checks import check_image, check_line, check_text, check_whole, is_whole
from commerce.common.services.slugs import store_with_slug
from commerce.common.types import MAX_NAME, read_email

from ..models import Campaign, Fundraiser
from ..selectors.campaigns import takes_donations
from ..selectors.links import FUNDRAISER_LINK, fundraiser_path
from ..types.donations import (
    LARGEST_DONATION,
    MAX_CHOICES,
    MAX_DESIGNATION,
    MAX_POSITION,
    MAX_STORY,
    MAX_SUMMARY,
    MAX_TITLE,
    RESERVED_SLUGS,
    VERSION,
    FundraiserStatus,
)
from . import notices

CAMPAIGN = (
    "name",
    "summary",
    "story",
    "goal_cents",
    "amounts",
    "designations",
    "ends_on",
    "has_fundraisers",
    "shows_donors",
    "is_visible",
    "position",
)
FUNDRAISER = ("name", "story", "goal_cents", "organizer", "email")


@transaction.atomic
def save_campaign(*, values: Mapping[str, Any], campaign: Campaign | None = None, user: Any = None) -> Campaign:
    """Create or change a campaign; values not given are unchanged. Donations keep what they were given for.

    Besides `CAMPAIGN`, `values` may have `slug` and `image` (the id of an image of the library, or None). Amounts are in minor
    units. Raises Invalid by attribute.
    """
    now = timezone.now()
    errors = ErrorCollector()
    image = check_image(errors, "image", values.get("image"))
    saved = lock_or_build(Campaign, campaign, blocks_references=True, created_at=now)
    set_values(saved, values, CAMPAIGN)
    if "image" in values:
        saved.image_id = image
    _check_cause(errors, saved)
    check_line(errors, "summary", saved.summary, MAX_SUMMARY)
    check_whole(errors, "position", saved.position, MAX_POSITION)
    _check_choices(errors, saved)
    errors.raise_if_any()
    _store(saved, now, values, "campaign", user)
    return saved


def _check_cause(errors: ErrorCollector, cause: Campaign | Fundraiser) -> None:
    check_line(errors, "name", cause.name, MAX_TITLE, needed=True)
    check_text(errors, "story", cause.story, MAX_STORY)
    if cause.goal_cents is not None and not is_whole(cause.goal_cents, 1, LARGEST_DONATION):
        errors.add("goal_cents", "The goal must be an amount of more than nothing.")


def _check_choices(errors: ErrorCollector, campaign: Campaign) -> None:
    amounts, designations = campaign.amounts, campaign.designations
    if not _are(amounts, lambda each: is_whole(each, 1, LARGEST_DONATION)):
        errors.add("amounts", f"Enter at most {MAX_CHOICES} amounts of more than nothing, each once.")
    if not _are(designations, lambda each: isinstance(each, str) and each.isprintable() and 0 < len(each) <= MAX_DESIGNATION):
        errors.add("designations", f"Enter at most {MAX_CHOICES} lines of at most {MAX_DESIGNATION} characters, each once.")


def _are(values: Any, is_valid: Any) -> bool:
    if not isinstance(values, list) or len(values) > MAX_CHOICES or not all(map(is_valid, values)):
        return False
    return len(set(values)) == len(values)


def _store(saved: Campaign | Fundraiser, now: Any, values: Mapping[str, Any], fallback: str, user: Any) -> None:
    saved.updated_at = now
    store_with_slug(saved, values, fallback, user=user, reserved=RESERVED_SLUGS)
    get_search_backend().add(saved)
    versions.bump(VERSION)


def delete_campaign(*, campaign: Campaign, user: Any = None) -> None:
    """Delete a campaign. Raises Invalid (`campaign`) if it has donations or fundraisers."""
    delete_record(
        record=campaign,
        user=user,
        in_use={"campaign": "This campaign has donations or fundraisers. Hide it instead."},
        version=VERSION,
    )


@transaction.atomic
def start_fundraiser(*, values: Mapping[str, Any], campaign: Campaign, user: Any = None) -> Fundraiser:
    """Store the fundraiser of a supporter, which somebody approves unless the setting says otherwise.

    `values` are those of `save_fundraiser`. Raises Invalid by attribute, and `campaign` if it takes no fundraisers.
    """
    if not campaign.has_fundraisers or not takes_donations(campaign):
        raise Invalid({"campaign": "Fundraisers can't be started for this campaign."})
    saved = save_fundraiser(values=values, campaign=campaign)
    saved.user = user if user is not None and user.is_authenticated else None
    saved.save(update_fields=["user"])
    if get_setting("donations.approve_fundraisers"):
        notices.request_approval(saved, admin_url=settings.BASE_URL + reverse("fundraisers:index"))
    else:
        publish_fundraiser(fundraiser=saved)
        saved.refresh_from_db()
    return saved


@transaction.atomic
def save_fundraiser(
    *, values: Mapping[str, Any], fundraiser: Fundraiser | None = None, campaign: Campaign | None = None, user: Any = None
) -> Fundraiser:
    """Create a fundraiser of a campaign, or change one; values not given are unchanged.

    Besides `FUNDRAISER`, `values` may have `slug` and `image` (the id of an image of the library, or None). Raises Invalid by
    attribute.
    """
    now = timezone.now()
    errors = ErrorCollector()
    image = check_image(errors, "image", values.get("image"))
    saved = lock_or_build(Fundraiser, fundraiser, blocks_references=True, created_at=now)
    former = saved.email
    set_values(saved, values, FUNDRAISER)
    if "image" in values:
        saved.image_id = image
    if fundraiser is None and campaign is not None:
        saved.campaign = campaign
    elif fundraiser is None:
        errors.add("campaign", required_message("campaign"))
    _check_cause(errors, saved)
    check_line(errors, "organizer", saved.organizer, 2 * MAX_NAME, needed=True)
    for name in ("organizer", "name"):
        visitors.check_name(errors, name, getattr(saved, name))
    with errors.under():
        saved.email = read_email(saved.email)
    errors.raise_if_any()
    if fundraiser is not None and saved.email != former:
        end_links(saved, user=user)
    _store(saved, now, values, "fundraiser", user)
    return saved


@transaction.atomic
def publish_fundraiser(*, fundraiser: Fundraiser, user: Any = None) -> bool:
    """Make the page of a fundraiser public, and tell its organizer; return False if it is already."""
    if not _set_status(fundraiser, FundraiserStatus.PUBLISHED, "donations.publish_fundraiser", user):
        return False
    url, edit_url = settings.BASE_URL + fundraiser_path(fundraiser), FUNDRAISER_LINK.url(fundraiser)
    notices.send_published(fundraiser, url=url, edit_url=edit_url)
    return True


@transaction.atomic
def end_fundraiser(*, fundraiser: Fundraiser, user: Any = None) -> bool:
    """Take no more donations for a published fundraiser, whose page stays; return False if it is over already."""
    of = (FundraiserStatus.PUBLISHED,)
    return _set_status(fundraiser, FundraiserStatus.ENDED, "donations.end_fundraiser", user, of=of)


@transaction.atomic
def hide_fundraiser(*, fundraiser: Fundraiser, user: Any = None) -> bool:
    """Take a fundraiser off the site; return False if it is hidden already."""
    return _set_status(fundraiser, FundraiserStatus.HIDDEN, "donations.hide_fundraiser", user)


def _set_status(
    fundraiser: Fundraiser,
    status: FundraiserStatus,
    action: str,
    user: Any,
    *,
    of: Collection[FundraiserStatus] = tuple(FundraiserStatus),
) -> bool:
    same = Fundraiser.objects.filter(pk=fundraiser.pk, status__in=of).exclude(status=status)
    if not same.update(status=status, updated_at=timezone.now()):
        return False
    fundraiser.refresh_from_db(fields=["status", "updated_at"])
    log(instance=fundraiser, action=action, user=user)
    versions.bump(VERSION)
    return True


def delete_fundraiser(*, fundraiser: Fundraiser, user: Any = None) -> None:
    """Delete a fundraiser. Raises Invalid (`fundraiser`) if it has donations."""
    delete_record(
        record=fundraiser, user=user, in_use={"fundraiser": "This fundraiser has donations. Hide it instead."}, version=VERSION
    )
