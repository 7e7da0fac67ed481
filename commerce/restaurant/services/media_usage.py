"""Media usage of dishes: their pictures."""

from commerce.common.services.media_usage import ImageUsage

from ..models import MenuItem
from ..types.menu import VERSION

MEDIA_USAGE = ImageUsage({MenuItem: "dishes:edit"}, VERSION)
