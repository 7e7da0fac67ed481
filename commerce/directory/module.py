"""The directory module: businesses that are listed for a term, some of them featured."""

from cms_api.core.module import Event, Module

MODULE = Module(
    name="directory",
    title="Directory",
    description="Listings of businesses, for a term or featured.",
    feature="directory",
    group="Commerce",
    events=(
        Event(
            "directory_listing.paid",
            "A listing's term or its featuring is paid.",
            document="commerce.directory.resources.PaidDirectoryListingResource",
        ),
    ),
)
