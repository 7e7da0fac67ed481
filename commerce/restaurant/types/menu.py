"""Dishes: allergens, diets, and limits."""

from django.db.models import TextChoices

MAX_NAME = 120
MAX_DESCRIPTION = 1000
MAX_POSITION = 10_000
#: Of one dish, and of one group.
MAX_GROUPS = 10
MAX_OPTIONS = 30

#: The version that changes with the menu, the opening hours and the delivery zones.
VERSION = "restaurant.menu"


class Allergen(TextChoices):
    """The allergens that must be named in the European Union (Regulation 1169/2011, Annex II)."""

    GLUTEN = "gluten", "Gluten"
    CRUSTACEANS = "crustaceans", "Crustaceans"
    EGGS = "eggs", "Eggs"
    FISH = "fish", "Fish"
    PEANUTS = "peanuts", "Peanuts"
    SOY = "soy", "Soy"
    MILK = "milk", "Milk"
    NUTS = "nuts", "Nuts"
    CELERY = "celery", "Celery"
    MUSTARD = "mustard", "Mustard"
    SESAME = "sesame", "Sesame"
    SULPHITES = "sulphites", "Sulphites"
    LUPIN = "lupin", "Lupin"
    MOLLUSCS = "molluscs", "Molluscs"


class Diet(TextChoices):
    VEGETARIAN = "vegetarian", "Vegetarian"
    VEGAN = "vegan", "Vegan"
    GLUTEN_FREE = "gluten_free", "Gluten-free"
    LACTOSE_FREE = "lactose_free", "Lactose-free"
    HALAL = "halal", "Halal"
    KOSHER = "kosher", "Kosher"
    SPICY = "spicy", "Spicy"
