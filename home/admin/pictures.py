"""Resets an image slot that an integration has set to the row's own image."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path, reverse
from django.views.generic import TemplateView
from wagtail.admin import messages
from wagtail.admin.views.generic import WagtailAdminTemplateMixin
from wagtail.admin.viewsets.base import ViewSet
from wagtail.models import Page

from cms_api.core.not_found import found_or_404

from ..selectors import Place, may_give_back, places_of, row_name
from ..services import set_page_image


class GiveBack(WagtailAdminTemplateMixin, TemplateView):
    """Asks for confirmation on GET, resets on POST."""

    template_name = "home_admin/give_back.html"
    page_title = "Reset image"
    header_icon = "image"
    page: Page
    place: Place

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        self.page = get_object_or_404(Page, pk=kwargs["page_id"])
        named = (kwargs["row_slug"], kwargs["key"])
        found = (place for place in places_of(self.page.pk) if (place.row.slug, place.slot["key"]) == named and place.image)
        place = found_or_404(next(found, None))
        self.place = place

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if not may_give_back(request.user, self.page, self.place.row):
            raise PermissionDenied
        return super().dispatch(request, *args, **kwargs)

    @property
    def back(self) -> str:
        return reverse("wagtailadmin_pages:edit", args=[self.page.pk])

    def get_page_subtitle(self) -> str:
        return str(self.page)

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        return [
            {"url": reverse("wagtailadmin_home"), "label": "Home"},
            {"url": self.back, "label": str(self.page)},
            {"url": "", "label": self.page_title},
        ]

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs, place=self.place, name=row_name(self.place.row), back=self.back)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        # Also reset the alternative text, which would otherwise stay without its image.
        set_page_image(row=self.place.row, key=self.place.slot["key"], media_id=None, alt=None, alt_sent=True)
        messages.success(request, f"{row_name(self.place.row)}, {self.place.slot['label']}: the row's own image is shown again.")
        return redirect(self.back)


class PagePictureViewSet(ViewSet):
    def get_urlpatterns(self) -> list[URLPattern]:
        return [path("<id:page_id>/<slug:row_slug>/<slug:key>/", GiveBack.as_view(), name="give_back")]
