"""The directory in the admin."""

from wagtail.admin.viewsets.model import ModelViewSetGroup

from cms_api.adminkit.history import register_log_actions
from commerce.common.admin.cells import logged_amount
from commerce.sales.admin import register_sale_actions

from .categories import CategoryViewSet
from .choosers import OWNER_CHOOSER
from .claims import ClaimViewSet
from .listings import ListingViewSet
from .plans import PlanViewSet
from .purchases import PurchaseViewSet

__all__ = ["DIRECTORY", "OWNER_CHOOSER"]


class DirectoryGroup(ModelViewSetGroup):
    menu_label = "Directory"
    menu_icon = "globe"
    items = (ListingViewSet, CategoryViewSet, PlanViewSet, PurchaseViewSet, ClaimViewSet)


DIRECTORY = DirectoryGroup()


register_sale_actions("directory")
register_log_actions(
    {
        "directory.publish": ("Publish", "Published"),
        "directory.unpublish": ("Back to moderation", "Put back in moderation"),
        "directory.archive": ("Archive", "Archived"),
        "directory.feature": ("Feature", "Featured"),
        "directory.stop_featuring": ("Stop featuring", "No longer featured"),
        "directory.approve_change": ("Approve changes", "The owner's changes were published"),
        "directory.reject_change": ("Reject changes", "The owner's changes were rejected"),
        "directory.approve_claim": ("Approve claim", "A claim was approved"),
        "directory.reject_claim": ("Reject claim", "A claim was rejected"),
        "directory.paid": ("Pay", lambda data: f"Paid {logged_amount(data)} for {data['plan']}"),
        "directory.expire": ("End term", "The term has ended"),
    }
)
