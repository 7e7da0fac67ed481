"""Media usage of campaigns and of fundraisers: their pictures."""

from commerce.common.services.media_usage import ImageUsage

from ..models import Campaign, Fundraiser
from ..types.donations import VERSION

MEDIA_USAGE = ImageUsage({Campaign: "campaigns:edit", Fundraiser: "fundraisers:edit"}, VERSION)
