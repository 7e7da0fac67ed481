"""The cookies by which a visitor's cart is found, and its number of items shown on cached pages."""

from django.http import HttpRequest, HttpResponse

from commerce.common.views import CartCookies

from ..models import MenuCart
from ..selectors.carts import count_of, find_cart

COOKIES = CartCookies(token="menu_cart", count="menu_cart_items")


def cart_of(request: HttpRequest) -> MenuCart | None:
    return find_cart(COOKIES.token_of(request))


def remember(response: HttpResponse, cart: MenuCart | None) -> HttpResponse:
    """Set the cookies as the cart is now."""
    return COOKIES.write(response, token=cart.token if cart else "", count=count_of(cart) if cart else 0)
