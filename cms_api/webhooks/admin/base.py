"""Base classes of the webhook pages."""

from collections.abc import Callable
from typing import Any

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.generic import TemplateView
from wagtail.admin import messages
from wagtail.admin.views.generic import PermissionCheckedMixin, WagtailAdminTemplateMixin

from ..models import Endpoint

#: How long a form that has revealed its secret is remembered, in seconds.
REMEMBERED = 24 * 3600

View = Callable[..., HttpResponse]


def inspect_url(endpoint: Endpoint) -> str:
    return reverse("webhooks:inspect", args=[endpoint.pk])


class EndpointPage(PermissionCheckedMixin, WagtailAdminTemplateMixin, TemplateView):
    """A page about one subscription, which is in `object`."""

    model = Endpoint
    permission_required = "change"
    object: Endpoint

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        self.object = self.get_object()

    def get_object(self) -> Endpoint:
        return get_object_or_404(Endpoint, pk=self.kwargs["pk"])

    def get_page_subtitle(self) -> str:
        return self.object.url

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        return [
            *self.breadcrumbs_items,
            {"url": reverse("webhooks:index"), "label": "Webhooks"},
            {"url": inspect_url(self.object), "label": self.object.url},
            {"url": "", "label": self.page_title},
        ]

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs, object=self.object, back=inspect_url(self.object))


class RevealsSecret:
    """Reveals a secret in the response to the POST that created it; a reload resubmits a form that is used up."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response: HttpResponse = super().dispatch(request, *args, **kwargs)  # type: ignore[misc]
        response["Cache-Control"] = "no-store, private"
        return response

    @staticmethod
    def use_up(once: str) -> bool:
        """Return whether the form is submitted for the first time."""
        return cache.add(f"webhooks.form.{once}", True, REMEMBERED)

    @staticmethod
    def allow_again(once: str) -> None:
        cache.delete(f"webhooks.form.{once}")

    def sent_before(self, request: HttpRequest, url: str) -> HttpResponse:
        said = "This form was already submitted. A secret is shown only once: if you lost it, rotate it."
        messages.warning(request, said)
        return redirect(url)

    def reveal(self, request: HttpRequest, endpoint: Endpoint, title: str, *, rotated: bool = False) -> HttpResponse:
        breadcrumbs = [
            *self.breadcrumbs_items,  # type: ignore[attr-defined]
            {"url": reverse("webhooks:index"), "label": "Webhooks"},
            {"url": inspect_url(endpoint), "label": endpoint.url},
            {"url": "", "label": title},
        ]
        context = {
            "endpoint": endpoint,
            "rotated": rotated,
            "header_icon": self.header_icon,  # type: ignore[attr-defined]
            "header_title": f"{title}: {endpoint.url}",
            "title": title,
            "breadcrumbs_items": breadcrumbs,
        }
        return TemplateResponse(request, "webhooks/secret.html", context)
