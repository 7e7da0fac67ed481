"""Marketing in the admin: subscribers, mailing lists and sequences.

Loaded with Wagtail's hooks: so the audit log knows the actions below wherever they are written.
"""

from typing import Any

from wagtail import hooks
from wagtail.admin.viewsets.model import ModelViewSetGroup

from . import bulk  # noqa: F401  (registered as it is imported)
from .lists import MailingListViewSet
from .sequences import SequenceViewSet
from .subscribers import SubscriberViewSet


class MarketingGroup(ModelViewSetGroup):
    menu_label = "Marketing"
    menu_icon = "openquote"
    items = (SubscriberViewSet, MailingListViewSet, SequenceViewSet)


MARKETING = MarketingGroup()


@hooks.register("register_log_actions")
def register_log_actions(actions: Any) -> None:
    actions.register_action("marketing.unsubscribe", "Unsubscribe", "Unsubscribed")
    actions.register_action("marketing.resubscribe", "Resubscribe", "Resubscribed")
    actions.register_action("marketing.start", "Start sequence", "Started")
    actions.register_action("marketing.pause", "Pause sequence", "Paused")


__all__ = ["MARKETING"]
