"""The cookies by which a visitor's cart is found, and its number of items shown on cached pages."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from ..models import Cart
from ..selectors.carts import find_cart, items_of
from ..services.carts import open_cart

#: The cart's token.
CART = "cart"
#: How many pieces are in the cart; a script shows it in the header.
COUNT = "cart_items"
_AGE = 90 * 24 * 3600


def cart_of(request: HttpRequest) -> Cart | None:
    """Return the visitor's cart, if there is one. Signing in brings the cart that was filled before along."""
    token = token_of(request)
    found = find_cart(token=token, user=request.user)
    return open_cart(token=token, user=request.user) if found and request.user.is_authenticated else found


def token_of(request: HttpRequest) -> str:
    token = request.COOKIES.get(CART, "")
    return "" if "\0" in token else token[:40]


def recount(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Correct the number in the header, if there is one: buying, and signing in and out, change the cart."""
    return remember(response, cart_of(request)) if COUNT in request.COOKIES else response


def remember(response: HttpResponse, cart: Cart | None) -> HttpResponse:
    """Set the cookies as the cart is now."""

    def set_cookie(name: str, value: str, *, httponly: bool) -> None:
        secure = settings.SESSION_COOKIE_SECURE
        response.set_cookie(name, value, max_age=_AGE, samesite="Lax", secure=secure, httponly=httponly)

    count = sum(item.quantity for item in items_of(cart)) if cart else 0
    if cart is not None:
        set_cookie(CART, cart.token, httponly=True)
    if count:
        set_cookie(COUNT, str(count), httponly=False)
    else:
        response.delete_cookie(COUNT, samesite="Lax")
    return response
