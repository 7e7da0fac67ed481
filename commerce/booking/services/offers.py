"""Creates, changes and deletes services."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from wagtail.search.backends import get_search_backend

from cms_api.core import versions
from cms_api.core.errors import ErrorCollector
from cms_api.core.records import delete_record, lock_or_build, set_values
from cms_api.fields.texts import is_web_url
from commerce.common.services.checks import check_image, check_line, check_payable, check_price, check_text, check_whole, is_whole
from commerce.common.services.slugs import store_with_slug

from ..models import Service
from ..types.questions import read_questions
from ..types.services import (
    FARTHEST_DAYS_AHEAD,
    LARGEST_CLASS_PLACES,
    LONGEST_BUFFER_MINUTES,
    LONGEST_CANCEL_NOTICE_HOURS,
    LONGEST_NOTICE_MINUTES,
    LONGEST_SERVICE_MINUTES,
    MAX_DESCRIPTION,
    MAX_NAME,
    MAX_PLACE,
    MAX_POSITION,
    MAX_URL,
    SHORTEST_SERVICE_MINUTES,
    VERSION,
)

ATTRIBUTES = (
    "name",
    "description",
    "duration_minutes",
    "price_cents",
    "deposit_cents",
    "buffer_before_minutes",
    "buffer_after_minutes",
    "step_minutes",
    "notice_minutes",
    "days_ahead",
    "cancel_notice_hours",
    "capacity",
    "location",
    "video_url",
    "questions",
    "requires_approval",
    "is_visible",
    "position",
)
#: The lowest and the highest value of whole numbers.
_LIMITS = {
    "duration_minutes": (SHORTEST_SERVICE_MINUTES, LONGEST_SERVICE_MINUTES),
    "buffer_before_minutes": (0, LONGEST_BUFFER_MINUTES),
    "buffer_after_minutes": (0, LONGEST_BUFFER_MINUTES),
    "step_minutes": (SHORTEST_SERVICE_MINUTES, LONGEST_SERVICE_MINUTES),
    "notice_minutes": (0, LONGEST_NOTICE_MINUTES),
    "days_ahead": (1, FARTHEST_DAYS_AHEAD),
    "cancel_notice_hours": (0, LONGEST_CANCEL_NOTICE_HOURS),
    "capacity": (1, LARGEST_CLASS_PLACES),
}


@transaction.atomic
def save_service(*, values: Mapping[str, Any], service: Service | None = None, user: Any = None) -> Service:
    """Create or change a service; values not given are unchanged. Appointments keep what they were booked with.

    Besides `ATTRIBUTES`, `values` may have `slug` and `image` (the id of an image of the library, or None). Amounts are in minor
    units; `questions` are definitions of form fields. Raises Invalid by attribute, and by path for questions: `questions.1.key`.
    """
    now = timezone.now()
    errors = ErrorCollector()
    image = check_image(errors, "image", values.get("image"))
    saved = lock_or_build(Service, service, blocks_references=True, created_at=now)
    set_values(saved, values, ATTRIBUTES)
    if "image" in values:
        saved.image_id = image
    saved.updated_at = now
    _check(errors, saved)
    errors.raise_if_any()
    store_with_slug(saved, values, "service", user=user)
    get_search_backend().add(saved)
    versions.bump(VERSION)
    return saved


def _check(errors: ErrorCollector, service: Service) -> None:
    check_line(errors, "name", service.name, MAX_NAME, needed=True)
    check_text(errors, "description", service.description, MAX_DESCRIPTION)
    check_line(errors, "location", service.location, MAX_PLACE)
    check_price(errors, "price_cents", service.price_cents)
    check_price(errors, "deposit_cents", service.deposit_cents)
    check_whole(errors, "position", service.position, MAX_POSITION)
    for name in ("price_cents", "deposit_cents"):
        if name not in errors.errors:
            check_payable(errors, name, getattr(service, name), settings.SITE_CURRENCY)
    if not errors.errors and service.deposit_cents > service.price_cents:
        errors.add("deposit_cents", "The deposit may not be greater than the price.")
    for name, (lowest, highest) in _LIMITS.items():
        value = getattr(service, name)
        if not is_whole(value, lowest, highest) and not (name == "step_minutes" and value is None):
            errors.add(name, f"Enter a whole number from {lowest} to {highest}.")
    if service.video_url and (len(service.video_url) > MAX_URL or not is_web_url(service.video_url)):
        errors.add("video_url", "The video link must be a web address, such as https://meet.example.com/room.")
    with errors.under("questions"):
        service.questions = read_questions(service.questions)


def delete_service(*, service: Service, user: Any = None) -> None:
    """Delete a service. Raises Invalid (`service`) if it has been booked."""
    in_use = {"service": "This service has appointments. Hide it instead."}
    delete_record(record=service, user=user, in_use=in_use, version=VERSION)
