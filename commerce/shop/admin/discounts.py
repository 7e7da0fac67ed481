"""Discount codes of the shop in the admin."""

from commerce.common.admin.discounts import DiscountCodeViewSet

from ..models import DiscountCode


class ShopDiscountCodeViewSet(DiscountCodeViewSet):
    model = DiscountCode
    menu_order = 50
    name = "discount_codes"
    url_prefix = "shop/discounts"
