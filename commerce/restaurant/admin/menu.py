"""The menu in the admin: categories, and dishes with their options."""

from typing import Any

from django import forms
from django.conf import settings
from django.db.models import QuerySet
from django.urls import reverse
from wagtail import blocks
from wagtail.admin.panels import FieldPanel, FieldRowPanel, ObjectList
from wagtail.admin.ui.tables import Column
from wagtail.admin.utils import set_query_params
from wagtail.admin.widgets import AdminAutoHeightTextInput
from wagtail.admin.widgets.button import BaseButton, Button
from wagtail.images import get_image_model
from wagtail.images.widgets import AdminImageChooser

from cms_api.adminkit import filters
from cms_api.adminkit.bulk_actions import Bulk
from cms_api.adminkit.columns import CountColumn, MomentColumn, RecordColumn, SwitchColumn, TransitionsColumn
from cms_api.adminkit.forms import RecordForm
from cms_api.adminkit.transitions import Transition, calling
from cms_api.adminkit.viewset import RecordViewSet, by_services
from cms_api.text.search import matching
from commerce.common.selectors import format_money
from commerce.common.types.amounts import AmountBlock, AmountField
from commerce.common.types.money import Money

from ..models import MenuCategory, MenuItem
from ..selectors.menu import categories, dishes, with_details
from ..services import delete_category, delete_dish, save_category, save_dish, switch_dish
from ..types.menu import MAX_GROUPS, MAX_NAME, MAX_OPTIONS, Allergen, Diet

OPTION = blocks.StructBlock(
    [
        ("name", blocks.CharBlock(max_length=MAX_NAME)),
        ("price_cents", AmountBlock(required=False, label="Price", help_text="Added to the price of the dish.")),
        ("is_available", blocks.BooleanBlock(required=False, default=True, label="Available")),
    ],
    label_format="{name}",
)
GROUP = blocks.StructBlock(
    [
        ("name", blocks.CharBlock(max_length=MAX_NAME, help_text="For example Size or Extras.")),
        ("minimum", blocks.IntegerBlock(min_value=0, max_value=MAX_OPTIONS, default=0, label="At least")),
        ("maximum", blocks.IntegerBlock(min_value=1, max_value=MAX_OPTIONS, default=1, label="At most")),
        ("options", blocks.ListBlock(OPTION, max_num=MAX_OPTIONS)),
    ],
    label_format="{name}",
)
GROUPS = blocks.StreamBlock([("group", GROUP)], required=False, max_num=MAX_GROUPS)


class CategoryForm(RecordForm):
    class Meta(RecordForm.Meta):
        widgets = {"description": AdminAutoHeightTextInput(attrs={"rows": 2})}


def dishes_url(category: MenuCategory) -> str:
    return set_query_params(reverse("dishes:index"), {"category": category.pk})


class CategoryViewSet(RecordViewSet):
    model = MenuCategory
    icon = "folder-open-inverse"
    menu_label = "Menu categories"
    menu_order = 30
    name = "menu_categories"
    url_prefix = "restaurant/categories"
    ordering = ("position", "name", "id")
    search_fields = ["name"]
    list_display = (
        RecordColumn("name", label="Name", sort_key="name"),
        CountColumn("item_count", label="Dishes", url=dishes_url),
        SwitchColumn("is_visible", on="On the menu", off="Hidden"),
        Column("position", label="Position", sort_key="position"),
    )
    form = CategoryForm
    panels = (FieldPanel("name"), FieldPanel("description"), FieldPanel("is_visible"), FieldPanel("position"))
    delete_consequence = "Only a category without dishes can be deleted."
    create, update, delete = by_services(save_category, "category", delete_category)

    def records(self) -> Any:
        return categories()


class DishForm(RecordForm):
    refused_at = {"price_cents": "price", "groups": "groups_editor"}

    price = AmountField()
    image_chosen = forms.ModelChoiceField(
        queryset=get_image_model().objects.all(), required=False, widget=AdminImageChooser, label="Picture"
    )
    allergens = forms.MultipleChoiceField(choices=Allergen.choices, required=False, widget=forms.CheckboxSelectMultiple)
    diets = forms.MultipleChoiceField(choices=Diet.choices, required=False, widget=forms.CheckboxSelectMultiple)
    groups_editor = blocks.BlockField(GROUPS, required=False, label="Options")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        dish: Any = self.instance
        groups = dish.groups.prefetch_related("options") if dish.pk else []
        self.initial |= {
            "price": dish.price_cents,
            "image_chosen": dish.image_id,
            "allergens": dish.allergens,
            "diets": dish.diets,
            "groups_editor": GROUPS.to_python([_group(group) for group in groups]),
        }
        self.fields["price"].label = f"Price ({settings.SITE_CURRENCY.upper()})"

    def values(self) -> dict[str, Any]:
        values = super().values()
        image = values.pop("image_chosen")
        groups = [
            {
                **group.value,
                "options": [{**each, "price_cents": each["price_cents"] or 0} for each in group.value["options"]],
            }
            for group in values.pop("groups_editor")
        ]
        return {**values, "price_cents": values.pop("price"), "image": image.pk if image else None, "groups": groups}

    class Meta(RecordForm.Meta):
        widgets = {"description": AdminAutoHeightTextInput(attrs={"rows": 3})}


def _group(group: Any) -> dict[str, Any]:
    options = [
        {"name": option.name, "price_cents": option.price_cents, "is_available": option.is_available}
        for option in group.options.all()
    ]
    value = {"name": group.name, "minimum": group.minimum, "maximum": group.maximum, "options": options}
    return {"type": "group", "value": value}


class DishViewSet(RecordViewSet):
    model = MenuItem
    icon = "list-ul"
    menu_label = "Dishes"
    menu_order = 20
    name = "dishes"
    url_prefix = "restaurant/dishes"
    list_display = (
        RecordColumn("name", label="Name", sort_key="name"),
        Column("category", label="Category", accessor=lambda dish: dish.category.name),
        Column(
            "price_cents",
            label="Price",
            accessor=lambda dish: format_money(Money(dish.price_cents, settings.SITE_CURRENCY)),
            sort_key="price_cents",
        ),
        SwitchColumn("is_available", label="Availability", on="Available", off="Sold out"),
        SwitchColumn("is_visible", label="Menu", on="On the menu", off="Hidden"),
        MomentColumn("updated_at", label="Changed"),
        TransitionsColumn("actions", label="Actions", accessor=lambda record: ""),
    )
    filters = {
        "category": filters.record(MenuCategory.objects.all()),
        "is_available": filters.choice([("True", "Available"), ("False", "Sold out")], label="Availability"),
    }
    search = matching
    search_order = 182
    csv = {
        "Name": "name",
        "Category": lambda dish: dish.category.name,
        "Price": lambda dish: Money(dish.price_cents, settings.SITE_CURRENCY).amount,
        "Allergens": lambda dish: ", ".join(Allergen(each).label for each in dish.allergens),
        "Diets": lambda dish: ", ".join(Diet(each).label for each in dish.diets),
    }
    form = DishForm
    panels = (
        ObjectList(
            [
                FieldPanel("name"),
                FieldPanel("category"),
                FieldPanel("description"),
                FieldRowPanel([FieldPanel("price"), FieldPanel("tax_class")]),
                FieldPanel("image_chosen"),
                FieldPanel("is_available"),
                FieldPanel("is_visible"),
                FieldPanel("position"),
            ],
            heading="General",
        ),
        ObjectList([FieldPanel("groups_editor")], heading="Options"),
        ObjectList([FieldPanel("allergens"), FieldPanel("diets")], heading="Allergens and diets"),
    )
    delete_consequence = "It disappears from carts. Orders keep what was sold."
    transitions = (
        Transition(
            "sold_out",
            "Sold out",
            calling(switch_dish, "dish", available=False),
            "“{record}” is sold out.",
            offered=lambda dish: dish.is_available,
        ),
        Transition(
            "available",
            "Available again",
            calling(switch_dish, "dish", available=True),
            "“{record}” can be ordered again.",
            offered=lambda dish: not dish.is_available,
        ),
    )
    bulk_actions = (
        Bulk(
            "sold_out",
            "Mark as sold out",
            "marked as sold out",
            "They stay on the menu, but can't be ordered.",
            each=calling(switch_dish, "dish", available=False),
            phrase="Mark {} as sold out",
        ),
        Bulk(
            "available",
            "Mark as available",
            "marked as available",
            "Customers can order them.",
            each=calling(switch_dish, "dish", available=True),
            phrase="Mark {} as available",
        ),
        Bulk(
            "delete",
            "Delete",
            "deleted",
            "They disappear from carts. Orders keep what was sold.",
            each=calling(delete_dish, "dish"),
            permission="delete",
            serious=True,
        ),
    )
    create, update, delete = by_services(save_dish, "dish", delete_dish)

    def records(self) -> QuerySet[MenuItem]:
        return with_details(dishes())

    def record_buttons(self, record: MenuItem, user: Any) -> list[BaseButton]:
        if not record.is_visible or not record.category.is_visible:
            return []
        return [Button("View page", url=reverse("restaurant_dish", args=[record.pk]), icon_name="view", priority=12)]
