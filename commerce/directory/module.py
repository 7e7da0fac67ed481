"""The directory module: listings of businesses, with paid terms and featured placement."""

from cms_api.core.module import (
    AccountPage,
    Admin,
    Api,
    Event,
    Import,
    ImportColumn,
    Job,
    Module,
    Pages,
    Records,
    Route,
    Row,
    SettingKey,
)

from .mails import MAILS

_API = "commerce.directory.api."
_READ, _WRITE = "directory:read", "directory:write"
_ONE = "directory/listings/<ref:listing>"
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

MODULE = Module(
    name="directory",
    title="Directory",
    description="Business listings with paid terms and featured placement.",
    feature="directory",
    uses=("accounts", "payments", "taxes"),
    api=Api(
        group="Commerce",
        abilities={_READ: "Read directory listings.", _WRITE: "Publish, archive and feature directory listings."},
        nouns={"directory/listings": "directory_listings"},
        routes=(
            Route("directory/listings", f"{_API}Listings", {"GET": _READ}),
            Route(_ONE, f"{_API}OneListing", {"GET": _READ}),
            Route(f"{_ONE}/status", f"{_API}Status", {"POST": _WRITE}),
        ),
        events=(
            Event(
                "directory_listing.paid",
                "A listing's term or featured placement is paid.",
                document="commerce.directory.resources.listings.PaidDirectoryListingResource",
                resource="commerce.directory.resources.listings.paid_listing",
            ),
        ),
    ),
    pages=Pages(
        urls="commerce.directory.urls.urlpatterns",
        account_pages=(AccountPage("Listings", "Manage your listings", "/accounts/listings/"),),
        sitemap="commerce.directory.feeds.sections",
        searches=("commerce.directory.feeds.LISTINGS",),
        footer_links="commerce.directory.feeds.footer_links",
        rows=(Row("directory_listings", "commerce.directory.rows.DirectoryListingsBlock"),),
        record_pages=("directory.listing",),
    ),
    admin=Admin(
        viewsets=("commerce.directory.admin.DIRECTORY", "commerce.directory.admin.OWNER_CHOOSER"),
        menu_group="sales",
        menu_order=70,
        cards={
            "commerce.directory.admin.cards.create": "directory.add_listing",
            "commerce.directory.admin.cards.pending_listings": "directory.change_listing",
            "commerce.directory.admin.cards.pending_changes": "directory.change_listingchange",
            "commerce.directory.admin.cards.claims": "directory.change_claim",
            "commerce.directory.admin.cards.expired_listings": "directory.change_listing",
        },
        first_steps={"commerce.directory.admin.cards.add_listing": "directory.add_listing"},
        roles=("manager",),
    ),
    records=Records(
        payables={"listing_purchase": "commerce.directory.services.purchasing.PURCHASES"},
        imports=(
            Import(
                "listings",
                "Listings",
                columns=(
                    ImportColumn("slug", "Slug", "The last part of the address. Only rows with one change listings."),
                    ImportColumn("name", "Name", "Required for new listings.", also=("title", "business_name", "company")),
                    ImportColumn("description", "Description", also=("about", "text")),
                    ImportColumn(
                        "categories", "Categories", "Separated by semicolons; missing ones are created.", also=("category",)
                    ),
                    ImportColumn("status", "Status", "published, pending or archived; new listings are published."),
                    ImportColumn("featured", "Featured", "yes or no"),
                    ImportColumn(
                        "expires_at", "Expires", "A date, the last day on which it is shown, or empty if it never ends."
                    ),
                    ImportColumn("street", "Street", also=("address", "address1")),
                    ImportColumn("street2", "Street, second line", also=("address2",)),
                    ImportColumn("city", "City"),
                    ImportColumn("state", "State or region", also=("region", "province")),
                    ImportColumn("postal_code", "Postal code", also=("zip", "zip_code", "postcode")),
                    ImportColumn("country", "Country"),
                    ImportColumn("latitude", "Latitude", also=("lat",)),
                    ImportColumn("longitude", "Longitude", also=("lng", "lon")),
                    ImportColumn("phone", "Phone", also=("telephone",)),
                    ImportColumn("email", "Email", also=("email_address",)),
                    ImportColumn("website", "Website", also=("url", "web")),
                    ImportColumn("timezone", "Time zone", "Of the hours, such as America/New_York."),
                    *(
                        ImportColumn(
                            f"hours_{day[:3].lower()}",
                            f"Hours on {day}",
                            "09:00-12:00, 13:00-18:00, or closed",
                        )
                        for day in _DAYS
                    ),
                ),
                read="commerce.directory.services.importing.read",
                write="commerce.directory.services.importing.write",
                match="commerce.directory.services.importing.match",
                permission="directory.add_listing",
                help="A row with the slug of a listing changes it, where it has values. "
                "Rows without a slug create listings, unless there is one "
                "with all their values.",
            ),
        ),
        media_usage="commerce.directory.services.media_usage.MEDIA_USAGE",
        demo="commerce.directory.demo.load",
    ),
    settings=(
        SettingKey(
            "directory.submissions_per_day",
            int,
            5,
            "The listings that one account may submit in 24 hours.",
            title="Submissions a day",
        ),
        SettingKey(
            "directory.expired_page",
            str,
            "notice",
            "The answer at the address of a listing whose term has ended.",
            choices={"notice": "A page that says that it is no longer listed", "not_found": "Page not found"},
            title="Page of expired listings",
        ),
    ),
    mails=MAILS,
    jobs=(
        Job("remind_listing_owners", "commerce.directory.services.terms.remind_owners", every=3600, reaches_people=True),
        Job("end_featured_listings", "commerce.directory.services.terms.end_featured", every=300),
        Job("move_listing_openings", "commerce.directory.services.terms.move_openings", every=300),
        Job("cancel_unpaid_listings", "commerce.directory.services.purchasing.cancel_unpaid", every=24 * 3600),
    ),
)
