"""Discount codes of booking in the admin."""

from commerce.common.admin.discounts import DiscountCodeViewSet

from ..models import BookingCode


class BookingCodeViewSet(DiscountCodeViewSet):
    model = BookingCode
    menu_order = 70
    name = "booking_codes"
    url_prefix = "booking/discounts"
