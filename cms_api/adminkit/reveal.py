"""Secrets that are shown once: in the response to the POST that creates them."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from wagtail.admin import messages

from .once import ONCE
from .transitions import TransitionView
from .views import AddView


class _Reveals:
    """Shows a record's secret by the viewset's `secret_template_name`, in a response that is stored nowhere."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response: HttpResponse = super().dispatch(request, *args, **kwargs)  # type: ignore[misc]
        response["Cache-Control"] = "no-store, private"
        return response

    def reveal(self, record: Any, title: str) -> HttpResponse:
        viewset: Any = self.viewset  # type: ignore[attr-defined]
        listing = {"url": reverse(viewset.get_url_name("index")), "label": viewset.menu_label}
        context = {
            "object": record,
            "header_icon": viewset.icon,
            "header_title": f"{title}: {record}",
            "breadcrumbs_items": [*self.breadcrumbs_items, listing, {"url": "", "label": title}],  # type: ignore[attr-defined]
            "record_url": viewset.url(record),
            **viewset.secret_context(record),
        }
        return TemplateResponse(self.request, viewset.secret_template_name, context)  # type: ignore[attr-defined]

    def refuse_again(self, url: str) -> HttpResponse:
        said = "This form was already submitted. A secret is shown only once: if you have lost it, replace it."
        messages.warning(self.request, said)  # type: ignore[attr-defined]
        return redirect(url)


class RevealAddView(_Reveals, AddView):
    """Adds a record and shows its secret."""

    def submitted_again(self, made: str) -> HttpResponse:
        return self.refuse_again(reverse(self.index_url_name))

    def save_action(self) -> HttpResponse:
        return self.reveal(self.object, f"{self.get_page_subtitle()} created")


class RevealTransitionView(_Reveals, TransitionView):
    """Confirms on GET, replaces a secret and shows the new one on POST."""

    def post(self, request: HttpRequest, pk: int) -> HttpResponse:
        # A secret is replaced by nothing but the page that asks.
        return super().post(request, pk) if request.POST.get(ONCE) else redirect(request.path)

    def submitted_again(self, record: Any) -> HttpResponse:
        return self.refuse_again(self.viewset.url(record))

    def finish(self, record: Any, changed: Any) -> HttpResponse:
        return self.reveal(record, self.transition.get_message(record, self.request.user))
