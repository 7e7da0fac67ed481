"""Ends the emails of a saved search, by the link in each of them."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from ..selectors.searches import UNSUBSCRIBE_LINK, saved_searches
from ..services import pause_search
from ..types.listings import Frequency


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Asks whether to end the emails; a POST does it, from the button or a mail program's one-click unsubscribe."""
    search = UNSUBSCRIBE_LINK.get(saved_searches(), token)
    if request.method == "POST":
        pause_search(search=search)
    is_done = request.method == "POST" or search.frequency == Frequency.NEVER
    return render(request, "real_estate/unsubscribe.html", {"search": search.name, "is_done": is_done})
