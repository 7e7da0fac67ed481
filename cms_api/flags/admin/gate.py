"""What a module that can be switched off shows in the admin: while it is off there is no menu entry, and no page answers."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.functional import cached_property
from wagtail.admin.viewsets.model import ModelViewSet

from cms_api.core.bulk_actions import ListingAction

from ..selectors import is_on

View = Callable[..., HttpResponse]


def while_on(feature: str, view: View) -> View:
    """A view that is not there while a feature is off."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not is_on(feature):
            raise Http404
        return view(request, *args, **kwargs)

    return guarded


class GatedViewSet(ModelViewSet):
    """A viewset that is there while its feature is on.

    Views that a subclass adds to `get_urlpatterns` by themselves go through `self.gated`.
    """

    feature = ""

    def gated(self, view: View) -> View:
        return while_on(self.feature, view)

    def construct_view(self, view_class: Any, **kwargs: Any) -> Any:
        return self.gated(super().construct_view(view_class, **kwargs))

    @cached_property
    def menu_item_class(self) -> Any:
        feature = self.feature
        shown: Any = super().menu_item_class

        class GatedMenuItem(shown):
            def is_shown(self, request: HttpRequest) -> bool:
                return is_on(feature) and bool(super().is_shown(request))

        return GatedMenuItem


class GatedAction(ListingAction):
    """A bulk action that is there while its feature is on."""

    feature = ""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return while_on(self.feature, super().dispatch)(request, *args, **kwargs)
