"""Marketing in the admin: subscribers, mailing lists and sequences."""

from wagtail.admin.viewsets.model import ModelViewSetGroup

from cms_api.adminkit.history import register_log_actions

from .lists import MailingListViewSet
from .sequences import SequenceViewSet
from .subscribers import SubscriberViewSet


class MarketingGroup(ModelViewSetGroup):
    menu_label = "Marketing"
    menu_icon = "mail"
    items = (SubscriberViewSet, MailingListViewSet, SequenceViewSet)


MARKETING = MarketingGroup()

register_log_actions(
    {
        "marketing.unsubscribe": ("Unsubscribe", "Unsubscribed"),
        "marketing.resubscribe": ("Resubscribe", "Resubscribed"),
        "marketing.start": ("Start sequence", "Started"),
        "marketing.pause": ("Pause sequence", "Paused"),
    }
)
