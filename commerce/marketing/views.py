"""Public marketing pages: sign-up, and the pages linked from emails. They work without scripts.

Mail programs and scanners open links automatically, so opening a link changes nothing; only the button on its page does. The
secret link authenticates the recipient like a password: these POSTs need no cookie.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from cms_api.auth.services.visitors import Visit
from cms_api.core.errors import ErrorCollector
from cms_api.forms.services.answering import answer_form, stamp_of
from cms_api.forms.types import FormField, visitor_sentence
from cms_api.forms.types.inputs import ShownInput

from . import selectors
from .models import MailingList, Subscriber
from .services.links import Expired, find_choosing, find_unsubscribing, read_promise, unsubscribe_url
from .services.signup import PURPOSE, read_name, sign_up
from .services.subscribers import choose, is_void, keep_promise, promised_lists, unsubscribe
from .types import Status

#: Query parameters: something was just sent or saved, and a list to preselect.
SENT, SAVED, LIST = "sent", "saved", "list"
#: The name of the list checkboxes.
LISTS = "lists"

NAMES = (FormField("first_name", "First name", "text"), FormField("last_name", "Last name", "text"))
FIELDS = (FormField("email", "Your email address", "email", required=True), *NAMES)

View = Callable[..., HttpResponse]


@dataclass(frozen=True)
class ShownList:
    """A list that visitors can choose, as a checkbox."""

    list: MailingList
    id: str
    is_chosen: bool


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def subscribe(request: HttpRequest) -> HttpResponse:
    """The sign-up page; its answer is the same for every address."""
    if request.method != "POST":
        return _sign_up_page(request, chosen=request.GET.getlist(LIST))
    sent = request.POST
    values = {each.key: sent.get(each.key, "") for each in FIELDS}
    chosen = sent.getlist(LISTS)

    def carry_out(visit: Visit) -> HttpResponse:
        sign_up(values=values, lists=selectors.lists_by_slug(chosen), visit=visit)
        return HttpResponseRedirect(f"{reverse('subscribe')}?{SENT}=1", status=303)

    def show(*, errors: Mapping[str, Sequence[str]], notice: str, status: int) -> HttpResponse:
        first = {path: sentences[0] for path, sentences in errors.items()}
        return _sign_up_page(request, values, chosen, errors=first, notice=notice, status=status)

    return answer_form(request, carry_out=carry_out, show=show)


def _sign_up_page(
    request: HttpRequest,
    values: Mapping[str, str] | None = None,
    chosen: Collection[str] = (),
    *,
    errors: Mapping[str, str] | None = None,
    notice: str = "",
    status: int = 200,
) -> HttpResponse:
    inputs = _inputs(FIELDS, values or {}, errors or {})
    is_sent = request.method != "POST" and SENT in request.GET
    title = "Check your inbox" if is_sent else "Subscribe"
    context = {
        "is_sent": is_sent,
        "stamp": stamp_of(request, PURPOSE, notice=notice),
        "inputs": inputs,
        "lists": _boxes(selectors.public_lists(), chosen),
        "errors": _summary(inputs),
        "notice": notice,
        "meta": {
            "title": ("Error: " if errors or notice else "") + title,
            "description": "Get our news by email. Unsubscribe at any time.",
            "url": settings.BASE_URL + reverse("subscribe"),
            "kind": "website",
            "unlisted": is_sent,
        },
    }
    return render(request, "marketing/subscribe.html", context, status=status)


def _inputs(fields: Collection[FormField], values: Mapping[str, str], errors: Mapping[str, str]) -> list[ShownInput]:
    return [
        ShownInput(each, f"subscribe-{each.key}", values.get(each.key), visitor_sentence(each, errors.get(each.key, "")))
        for each in fields
    ]


def _summary(inputs: Collection[ShownInput]) -> list[tuple[str, str]]:
    return [(each.error, each.id) for each in inputs if each.error]


def _boxes(lists: Collection[MailingList], chosen: Collection[str]) -> list[ShownList]:
    return [ShownList(each, f"list-{each.slug}", each.slug in chosen) for each in lists]


def _link(view: View) -> View:
    """Wrap a view linked from emails: it sets no CSRF cookie."""

    @csrf_exempt
    @require_http_methods(["GET", "HEAD", "POST"])
    @wraps(view)
    def answer(request: HttpRequest, token: str) -> HttpResponse:
        return view(request, token)

    return answer


@_link
def confirm_subscription(request: HttpRequest, token: str) -> HttpResponse:
    """Asks whether to subscribe the address; the button does it."""
    try:
        promise = read_promise(token)
    except Expired:
        return _invalid_link(request, "expired", status=410)
    subscriber = selectors.find_subscriber(promise.subscriber_id) if promise else None
    if promise is None or subscriber is None:
        return _invalid_link(request, "unknown", status=404)
    lists = promised_lists(promise)
    if request.method == "POST":
        outcome = keep_promise(promise=promise)
        state = "void" if outcome is None else "done"
        subscriber.refresh_from_db()
    elif is_void(promise, subscriber):
        state = "void"
    else:
        has_all = {each.pk for each in lists} <= {each.pk for each in selectors.lists_of(subscriber)}
        state = "before" if subscriber.status == Status.ACTIVE and has_all else "asked"
    if state == "void":
        return _invalid_link(request, "void", status=410)
    shown = lists if state == "asked" else selectors.lists_of(subscriber)
    title = "Confirm your subscription" if state == "asked" else "You're subscribed"
    return _page(request, "confirm", title, subscriber=subscriber, state=state, lists=shown)


@_link
def unsubscribe_page(request: HttpRequest, token: str) -> HttpResponse:
    """Asks whether to unsubscribe; a POST does it, from the button or a mail program's one-click unsubscribe."""
    subscriber = find_unsubscribing(token)
    if subscriber is None:
        return _invalid_link(request, "unknown", status=404)
    was_off = subscriber.status == Status.UNSUBSCRIBED
    if request.method == "POST":
        subscriber = unsubscribe(subscriber=subscriber)
    state = "before" if was_off else "done" if request.method == "POST" else "asked"
    title = "Unsubscribe" if state == "asked" else "You're unsubscribed"
    return _page(request, "unsubscribe", title, subscriber=subscriber, state=state, lists=selectors.lists_of(subscriber))


@_link
def subscriptions(request: HttpRequest, token: str) -> HttpResponse:
    """The page on which a subscriber chooses lists and changes their name."""
    subscriber = find_choosing(token)
    if subscriber is None:
        return _invalid_link(request, "unknown", status=404)
    if request.method == "POST":
        return _save_preferences(request, subscriber)
    values = {"first_name": subscriber.first_name, "last_name": subscriber.last_name}
    chosen = [each.slug for each in selectors.lists_of(subscriber)]
    return _preferences_page(request, subscriber, values, chosen)


def _save_preferences(request: HttpRequest, subscriber: Subscriber) -> HttpResponse:
    values = {each.key: request.POST.get(each.key, "") for each in NAMES}
    chosen = request.POST.getlist(LISTS)
    errors = ErrorCollector()
    cleaned = {}
    for name, value in values.items():
        with errors.under():
            cleaned[name] = read_name(value, name)
    if errors.errors:
        wrong = {path: sentences[0] for path, sentences in errors.errors.items()}
        return _preferences_page(request, subscriber, values, chosen, errors=wrong, status=422)
    choose(subscriber=subscriber, lists=selectors.lists_by_slug(chosen), values=cleaned)
    return HttpResponseRedirect(f"{request.path}?{SAVED}=1", status=303)


def _preferences_page(
    request: HttpRequest,
    subscriber: Subscriber,
    values: Mapping[str, str],
    chosen: Collection[str],
    *,
    errors: Mapping[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    inputs = _inputs(NAMES, values, errors or {})
    return _page(
        request,
        "preferences",
        ("Error: " if errors else "") + "Email preferences",
        status=status,
        subscriber=subscriber,
        is_active=subscriber.status == Status.ACTIVE,
        is_saved=request.method != "POST" and SAVED in request.GET,
        inputs=inputs,
        errors=_summary(inputs),
        lists=_boxes(selectors.public_lists(), chosen),
        unsubscribe_path=unsubscribe_url(subscriber).removeprefix(settings.BASE_URL),
    )


def _invalid_link(request: HttpRequest, reason: str, *, status: int) -> HttpResponse:
    """The page for a link that is unknown, expired or void."""
    return _page(request, "invalid_link", "This link is no longer valid", status=status, reason=reason)


def _page(request: HttpRequest, name: str, title: str, *, status: int = 200, **context: Any) -> HttpResponse:
    meta = {"title": title, "url": settings.BASE_URL + reverse("subscribe"), "kind": "website", "unlisted": True}
    return render(request, f"marketing/{name}.html", {**context, "meta": meta}, status=status)
