"""Marketing, as far as projects use it."""

from cms_api.flags.services import set_setting, switch_feature
from commerce.marketing.models import Sequence, Subscriber
from commerce.marketing.services import upsert_subscriber
from commerce.marketing.types import Status
from tests.commerce.marketing import sequences


def make_sequence(slug: str) -> Sequence:
    """A sequence that the setting names; marketing is on."""
    switch_feature(name="marketing", on=True)
    set_setting(key="projects.completion_sequence", value=slug)
    return sequences.make_sequence(name=slug, slug=slug)


def subscribe(email: str, status: Status = Status.ACTIVE) -> Subscriber:
    return upsert_subscriber(values={"email": email}, source="test", status=status).subscriber
