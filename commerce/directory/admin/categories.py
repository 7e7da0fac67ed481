"""Categories of listings in the admin."""

from cms_api.adminkit.viewset import by_services
from commerce.common.admin import categories

from ..models import Category
from ..services.categories import delete_category, save_category


class CategoryViewSet(categories.CategoryViewSet):
    model = Category
    related = "listings"
    page = "directory_category"
    name = "listing_categories"
    url_prefix = "listings/categories"
    delete_consequence = "Its listings stay, without this category."
    create, update, delete = by_services(save_category, "category", delete_category)
