"""The cart: adding dishes, and quantities. Works without scripts."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from cms_api.core.errors import Invalid
from cms_api.http.query import whole_number
from commerce.common.views import is_own_request

from ..models import MenuCart
from ..resources import sums
from ..selectors.carts import items_of
from ..selectors.hours import is_paused
from ..selectors.menu import shown_dish
from ..selectors.pricing import quote
from ..services.carts import add_to_cart, change_cart, open_cart
from ..types.orders import MAX_QUANTITY
from .cookies import COOKIES, cart_of, remember

_own = cache_control(private=True, no_store=True)


@_own
@require_safe
def show_cart(request: HttpRequest) -> HttpResponse:
    cart = cart_of(request)
    return remember(_page(request, cart), cart)


@_own
@csrf_exempt
@require_POST
def add(request: HttpRequest) -> HttpResponse:
    """Puts a dish into the cart, and shows the cart. Pages of dishes are cached; see `is_own_request`."""
    if not is_own_request(request):
        return _page(request, cart_of(request), notice="The request came from another site. Please try again.", status=403)
    pk = whole_number(request.POST.get("item", ""))
    dish = shown_dish(pk) if pk else None
    if dish is None:
        return _page(request, cart_of(request), notice="Choose a dish first.", status=422)
    chosen = [whole_number(text) for key, texts in request.POST.lists() if key.startswith("group-") for text in texts if text]
    cart = open_cart(token=COOKIES.token_of(request))
    try:
        add_to_cart(
            cart=cart,
            item=dish,
            options=[-1 if each is None else each for each in chosen],
            quantity=_quantity(request.POST.get("quantity", "1")),
            notes=request.POST.get("notes", ""),
        )
    except Invalid as refusal:
        return remember(_page(request, cart, notice=refusal.message, status=422), cart)
    messages.success(request, f"{dish} added to your order.")
    return remember(redirect("restaurant_cart"), cart)


@_own
@require_POST
def update(request: HttpRequest) -> HttpResponse:
    """Changes quantities, of which `remove` names one that becomes 0."""
    cart = cart_of(request)
    if cart is None:
        return redirect("restaurant_cart")
    found = {}
    for each in items_of(cart):
        pk = each.row.pk
        typed = "0" if request.POST.get("remove") == str(pk) else request.POST.get(f"quantity-{pk}")
        if typed is not None and typed != str(each.row.quantity):
            found[pk] = _quantity(typed)
    try:
        change_cart(cart=cart, quantities=found)
    except Invalid as refusal:
        return remember(_page(request, cart, notice=refusal.message, status=422), cart)
    return remember(redirect("restaurant_checkout" if "checkout" in request.POST else "restaurant_cart"), cart)


def _page(request: HttpRequest, cart: MenuCart | None, *, notice: str = "", status: int = 200) -> HttpResponse:
    items = items_of(cart) if cart else []
    priced = quote(items)
    shown = {
        "items": items,
        "quote": priced,
        "sums": sums.of_quote(priced),
        "notice": notice,
        "is_paused": is_paused(),
        "max_quantity": MAX_QUANTITY,
    }
    return render(request, "restaurant/cart.html", shown, status=status)


def _quantity(text: str) -> int:
    """Read a typed quantity; anything but a whole number is refused as the service refuses one that is out of range."""
    number = whole_number(text.strip())
    return -1 if number is None else number
