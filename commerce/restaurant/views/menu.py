"""The menu, and the page of a dish. Both are the same for every signed-out visitor."""

from datetime import datetime, time, timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from cms_api.core.not_found import found_or_404
from cms_api.flags.selectors import VERSION as FLAGS
from cms_api.flags.selectors import site_timezone
from cms_api.http import page_cache

from ..models import OpeningPeriod
from ..resources import pages
from ..selectors.hours import is_paused, special_days
from ..selectors.menu import menu, shown_dish
from ..types.menu import VERSION
from ..types.orders import MAX_NOTE, MAX_QUANTITY


@require_safe
def show_menu(request: HttpRequest) -> HttpResponse:
    page_cache.enable()
    page_cache.depends_on(VERSION, FLAGS)
    sections = pages.sections_of(menu())
    now = timezone.now()
    # Past special days are left out.
    tomorrow = timezone.localdate(now, site_timezone()) + timedelta(days=1)
    page_cache.good_until(datetime.combine(tomorrow, time(0), site_timezone()))
    context = {
        "sections": sections,
        "hours": pages.opening_rows(OpeningPeriod.objects.all(), special_days(now)),
        "is_paused": is_paused(),
        "meta": pages.menu_meta(sections),
    }
    return render(request, "restaurant/menu.html", context)


@require_safe
def show_dish(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a dish, with the form that adds it to the cart.

    The form has no token, so that the page can be cached: its view checks the origin of the request instead.
    """
    found = found_or_404(shown_dish(pk))
    page_cache.enable()
    page_cache.depends_on(VERSION, FLAGS)
    context = {
        "dish": pages.dish_of(found, "half"),
        "groups": found.groups.all(),
        "currency": settings.SITE_CURRENCY,
        "is_paused": is_paused(),
        "max_quantity": MAX_QUANTITY,
        "max_note": MAX_NOTE,
        "meta": pages.dish_meta(found),
    }
    return render(request, "restaurant/dish.html", context)
