"""Categories of products in the admin."""

from cms_api.adminkit.viewset import by_services
from commerce.common.admin import categories

from ..models import ProductCategory
from ..services import delete_category, save_category


class CategoryViewSet(categories.CategoryViewSet):
    model = ProductCategory
    related = "products"
    page = "shop_category"
    name = "product_categories"
    url_prefix = "products/categories"
    delete_consequence = "Its products stay, without a category."
    create, update, delete = by_services(save_category, "category", delete_category)
