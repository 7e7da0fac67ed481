"""The services to book, and the page of one with its times."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from cms_api.core.not_found import found_or_404
from cms_api.flags.selectors import VERSION as FLAGS
from cms_api.http import page_cache
from cms_api.rows.additions import additions_to
from commerce.common.resources.pages import decoration

from ..resources import pages
from ..selectors.services import offered_service, offered_services, staff_for, with_pictures
from ..types.services import VERSION
from .choosing import Choice
from .zones import zone_of


@require_safe
def show_services(request: HttpRequest) -> HttpResponse:
    """The list. It is cached: nothing on it depends on the visitor or the time."""
    page_cache.enable()
    page_cache.depends_on(VERSION, FLAGS)
    services = list(with_pictures(offered_services()))
    context = {"cards": pages.cards_of(services), "meta": pages.list_meta(services)}
    return render(request, "booking/services.html", context)


@cache_control(private=True, no_store=True)
@require_safe
def show_service(request: HttpRequest, slug: str) -> HttpResponse:
    """A service with a calendar of its free times."""
    service = found_or_404(offered_service(slug))
    staff = list(with_pictures(staff_for(service)))
    zone = zone_of(request)
    choice = Choice(request, service, staff, zone, times_path=reverse("booking_book", args=[service.slug]))
    additions = additions_to("booking.service", service, request)
    context = {
        "service": service,
        "picture": decoration(service, "half"),
        "facts": pages.facts_of(service),
        "people": pages.people_of(staff, choice.staff),
        "choice": choice,
        "deposit": pages.deposit_text(service),
        "can_book": pages.can_be_paid(service),
        "additions": additions,
        "meta": additions.complete(pages.service_meta(service, unlisted=bool(request.GET))),
    }
    return zone.remember(render(request, "booking/service.html", context))
