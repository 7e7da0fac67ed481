"""The cart: adding products, quantities and the discount code. Works without scripts."""

import itertools

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from cms_api.auth.selectors import client_ip
from cms_api.auth.services.guesses import guess
from cms_api.core.errors import Invalid, TooManyAttempts
from cms_api.forms.types.inputs import FLOOD_NOTICE
from cms_api.http.query import whole_number
from commerce.common.selectors import find_discount_code
from commerce.common.services.discounts import CODES
from commerce.common.views import is_own_request

from ..models import Cart, CartItem, DiscountCode, ProductVariant
from ..resources import sums
from ..resources.pages import tiles_of
from ..selectors import pricing
from ..selectors.carts import lines_of, split_items
from ..services.carts import add_to_cart, change_cart, open_cart
from .cookies import cart_of, recount, remember, token_of

_own = cache_control(private=True, no_store=True)


@_own
@require_safe
def show_cart(request: HttpRequest) -> HttpResponse:
    cart = cart_of(request)
    return remember(_page(request, cart), cart) if cart else recount(request, _page(request, None))


@_own
@csrf_exempt
@require_POST
def add(request: HttpRequest) -> HttpResponse:
    """Puts a variant into the cart, and shows the cart.

    Product pages are cached and cannot have a token against forged requests; the Origin header, which every browser sends,
    takes its place.
    """
    if not is_own_request(request):
        return _page(request, cart_of(request), notice="The request came from another site. Please try again.", status=403)
    variant = _variant(request.POST.get("variant", ""))
    if variant is None:
        return _page(request, cart_of(request), notice="Choose a product first.", status=422)
    cart = open_cart(token=token_of(request), user=request.user)
    try:
        add_to_cart(cart=cart, variant=variant, quantity=_quantity(request.POST.get("quantity", "1")))
    except Invalid as refusal:
        return remember(_page(request, cart, notice=refusal.message, status=422), cart)
    messages.success(request, f"{variant} added to your cart.")
    return remember(redirect("shop_cart"), cart)


@_own
@require_POST
def update(request: HttpRequest) -> HttpResponse:
    """Changes quantities, of which `remove` names one that becomes 0, and the discount code."""
    cart = cart_of(request)
    if cart is None:
        return redirect("shop_cart")
    code = request.POST.get("discount_code")
    try:
        if code and code.strip():
            guess(CODES, address=client_ip(request), target="shop", check=lambda: find_discount_code(DiscountCode, code))
        change_cart(cart=cart, quantities=_quantities(request, cart), code=code)
    except TooManyAttempts as refusal:
        response = remember(_page(request, cart, notice=FLOOD_NOTICE, status=429), cart)
        response.headers["Retry-After"] = refusal.headers["Retry-After"]
        return response
    except Invalid as refusal:
        return remember(_page(request, cart, notice=refusal.message, status=422), cart)
    return remember(redirect("shop_checkout" if "checkout" in request.POST else "shop_cart"), cart)


def _quantities(request: HttpRequest, cart: Cart) -> dict[CartItem, int]:
    """Return the quantities that were changed."""
    found = {}
    for item in itertools.chain(*split_items(cart)):
        typed = "0" if request.POST.get("remove") == str(item.pk) else request.POST.get(f"quantity-{item.pk}")
        if typed is not None and typed != str(item.quantity):
            found[item] = _quantity(typed)
    return found


def _page(request: HttpRequest, cart: Cart | None, *, notice: str = "", status: int = 200) -> HttpResponse:
    items, gone = split_items(cart) if cart else ([], [])
    priced = pricing.quote(lines_of(items), code=cart.discount_code if cart else "") if items else None
    tiles = tiles_of(item.variant.product_id for item in items)
    shown = {
        "cart": cart,
        "items": [(item, tiles.get(item.variant.product_id), item.variant.product_id % 4) for item in items],
        "gone": gone,
        "quote": priced,
        "sums": sums.of_quote(priced) if priced else [],
        "notice": notice,
    }
    return render(request, "shop/cart.html", shown, status=status)


def _variant(text: str) -> ProductVariant | None:
    pk = whole_number(text)
    return ProductVariant.objects.select_related("product").filter(pk=pk).first() if pk else None


def _quantity(text: str) -> int:
    """Read a typed quantity; anything but a whole number is refused as the service refuses one that is out of range."""
    number = whole_number(text.strip())
    return -1 if number is None else number
