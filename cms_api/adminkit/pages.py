"""The base of a viewset's pages of its own."""

from typing import Any, ClassVar

from django.urls import reverse
from wagtail.admin.views.generic.base import WagtailAdminTemplateMixin
from wagtail.admin.views.generic.permissions import PermissionCheckedMixin


class RecordsPage(PermissionCheckedMixin, WagtailAdminTemplateMixin):
    """A page below the list of a viewset, which builds it with `construct_view`; mix in one of Django's views."""

    model: ClassVar[Any] = None
    viewset: ClassVar[Any] = None
    permission_required: str | None = "change"

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        listing = {"url": reverse(self.viewset.get_url_name("index")), "label": self.viewset.menu_label}
        return [*self.breadcrumbs_items, listing, *self.parents(), {"url": "", "label": self.get_breadcrumb()}]

    def parents(self) -> list[dict[str, Any]]:
        """Return the breadcrumbs between the list and this page."""
        return []

    def get_breadcrumb(self) -> str:
        """Return the name of this page in its breadcrumbs."""
        return str(self.get_page_subtitle() or self.get_page_title())
