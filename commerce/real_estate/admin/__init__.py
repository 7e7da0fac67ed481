"""Real estate in the admin."""

from wagtail.admin.viewsets.model import ModelViewSetGroup

from cms_api.adminkit.history import register_log_actions

from .feeds import FeedViewSet
from .inquiries import InquiryViewSet
from .properties import PropertyViewSet
from .runs import RunViewSet
from .searches import SavedSearchViewSet


class RealEstateGroup(ModelViewSetGroup):
    menu_label = "Real estate"
    menu_icon = "home"
    items = (PropertyViewSet, FeedViewSet, RunViewSet, InquiryViewSet, SavedSearchViewSet)


REAL_ESTATE = RealEstateGroup()

register_log_actions(
    {
        "real_estate.queue_run": ("Run now", "An import was requested"),
        "real_estate.allow_removals": ("Confirm removals", "The removals were confirmed"),
        "real_estate.stop_run": ("Stop import", "The import was stopped"),
        "real_estate.release_inquiry": ("Not spam", "The inquiry was marked as not spam"),
    }
)
