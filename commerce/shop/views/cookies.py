"""The cookies by which a visitor's cart is found, and its number of items shown on cached pages."""

from django.http import HttpRequest, HttpResponse

from commerce.common.views import CartCookies

from ..models import Cart
from ..selectors.carts import find_cart, items_of
from ..services.carts import open_cart

COOKIES = CartCookies(token="cart", count="cart_items")

token_of = COOKIES.token_of


def cart_of(request: HttpRequest) -> Cart | None:
    """Return the visitor's cart, if there is one. Signing in brings the cart that was filled before along."""
    token = token_of(request)
    found = find_cart(token=token, user=request.user)
    return open_cart(token=token, user=request.user) if found and request.user.is_authenticated else found


def recount(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Correct the number in the header, if there is one: buying, and signing in and out, change the cart."""
    return remember(response, cart_of(request)) if COOKIES.count in request.COOKIES else response


def remember(response: HttpResponse, cart: Cart | None) -> HttpResponse:
    """Set the cookies as the cart is now."""
    count = sum(item.quantity for item in items_of(cart)) if cart else 0
    return COOKIES.write(response, token=cart.token if cart else "", count=count)
