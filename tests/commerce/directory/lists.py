"""The API's list of directory listings, for the law on the number of statements."""

from collections.abc import Callable

from cms_api.flags.services import switch_feature
from commerce.directory.selectors.listings import find_category
from tests.builders import make_image

from .builders import ADDRESS, HERE, make_category, make_listing


def listings(number: int) -> None:
    """Listings in two categories, half of them with images."""
    switch_feature(name="directory", on=True)
    categories = [(find_category(name.lower()) or make_category(name)).pk for name in ("Crafts", "Food")]
    logo, cover = make_image("logo.png").pk, make_image("cover.png").pk
    for place in range(number):
        images = {"logo": logo, "cover": cover} if place % 2 else {}
        make_listing("Reyes Ceramics", categories=categories, **ADDRESS, **HERE, **images)


#: How to make rows for each list, and how many statements it may take.
LISTS: dict[str, tuple[Callable[[int], None], int]] = {
    # The versions, the total, the rows with their images, and the categories.
    "/directory/listings?per_page=100": (listings, 4),
    "/directory/listings?per_page=100&status=live&category=crafts&featured=false&search=reyes": (listings, 4),
    "/directory/listings?per_page=100&cursor=": (listings, 3),
}
