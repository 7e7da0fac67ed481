"""Media usage of services and of staff: their pictures."""

from commerce.common.services.media_usage import ImageUsage

from ..models import Service, Staff
from ..types.services import VERSION

MEDIA_USAGE = ImageUsage({Service: "booking_services:edit", Staff: "booking_staff:edit"}, VERSION)
