"""The directory module: paid and featured listings of businesses."""

from cms_api.core.module import Event, Module

MODULE = Module(
    name="directory",
    title="Directory",
    description="Business listings with paid terms and featured placement.",
    feature="directory",
    group="Commerce",
    events=(
        Event(
            "directory_listing.paid",
            "A listing's term or featured placement is paid.",
            document="commerce.directory.resources.PaidDirectoryListingResource",
        ),
    ),
)
