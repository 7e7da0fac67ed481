"""Pages that ask for the type or vocabulary of a new record if the URL of its add page does not name one."""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.generic import TemplateView
from wagtail.admin.views.generic.base import WagtailAdminTemplateMixin


class KindsView(WagtailAdminTemplateMixin, TemplateView):
    """Links to the add pages of all kinds."""

    template_name = "content_admin/choose_kind.html"
    question: ClassVar[str]
    #: Shown if there are no kinds, above a link to the content types.
    nothing: ClassVar[str]
    #: The title and URL name of the list that the new record will be in.
    listing: ClassVar[tuple[str, str]]

    def kinds(self) -> Iterable[tuple[str, str, str, str]]:
        """Return the icon, title, description and URL of each kind."""
        raise NotImplementedError

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        title, url_name = self.listing
        return [*self.breadcrumbs_items, {"url": reverse(url_name), "label": title}, {"url": "", "label": self.page_title}]


class KindMixin:
    """First base of an add view that needs a kind; without one, it asks for it."""

    kind: Any = None
    kinds_view: Callable[..., HttpResponse]

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return super().get(request, *args, **kwargs) if self.kind else self.kinds_view(request)  # type: ignore[misc]

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return super().post(request, *args, **kwargs) if self.kind else redirect(request.path)  # type: ignore[misc]
