"""The API's list of listings, for the law on the number of statements."""

from collections.abc import Callable

from cms_api.flags.services import switch_feature
from commerce.real_estate.models import PropertyPhoto
from tests.builders import make_image

from .builders import import_records, make_feed, record


def listings(number: int) -> None:
    """Listings with a photo each."""
    switch_feature(name="real_estate", on=True)
    media = [{"MediaURL": "https://photos.example.com/a.jpg"}]
    import_records(make_feed(), *(record(place, Media=media) for place in range(number)))
    PropertyPhoto.objects.update(image=make_image().pk)


#: How to make rows for each list, and how many statements it may take.
LISTS: dict[str, tuple[Callable[[int], None], int]] = {
    # The versions, the total, the rows, their photos and the addresses of these.
    "/real-estate/listings?per_page=100": (listings, 5),
    "/real-estate/listings?per_page=100&status=all&city=brattleboro&min_beds=1&max_price=900000": (listings, 5),
    "/real-estate/listings?per_page=100&cursor=": (listings, 4),
}
