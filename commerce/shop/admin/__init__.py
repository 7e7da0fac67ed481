"""The shop in the admin."""

from wagtail.admin.viewsets.model import ModelViewSetGroup

from cms_api.adminkit.history import register_log_actions

from .categories import CategoryViewSet
from .discounts import ShopDiscountCodeViewSet
from .orders import OrderViewSet
from .products import ProductViewSet
from .shipping import ShippingMethodViewSet

ORDERS = OrderViewSet()


class ProductsGroup(ModelViewSetGroup):
    menu_label = "Products"
    menu_icon = "tag"
    items = (ProductViewSet, CategoryViewSet)


PRODUCTS = ProductsGroup()
DISCOUNT_CODES = ShopDiscountCodeViewSet()
SHIPPING_METHODS = ShippingMethodViewSet()

register_log_actions(
    {
        "shop.publish": ("Publish product", "Published"),
        "shop.unpublish": ("Unpublish product", "Unpublished"),
        "shop.archive": ("Archive product", "Archived"),
        "shop.enable": ("Enable", "Enabled"),
        "shop.disable": ("Disable", "Disabled"),
    }
)
