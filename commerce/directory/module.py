"""The directory module: listings of businesses, with paid terms and featured placement."""

from cms_api.core.module import (
    AccountPage,
    Event,
    Import,
    ImportColumn,
    Job,
    Mail,
    Module,
    Route,
    Row,
    SettingKey,
)

_API = "commerce.directory.api."
_READ, _WRITE = "directory:read", "directory:write"
_ONE = "directory/listings/<ref:listing>"

_LISTING = {"name": "The owner's first name", "listing": "The name of the listing"}
_SAMPLE = {"name": "Dana", "listing": "Reyes Ceramics"}
_PAGE = "https://example.org/directory/reyes-ceramics"
_ACCOUNT = "https://example.org/accounts/listings/36/"

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

MODULE = Module(
    name="directory",
    title="Directory",
    description="Business listings with paid terms and featured placement.",
    feature="directory",
    uses=("accounts", "payments", "taxes"),
    group="Commerce",
    abilities={_READ: "Read directory listings.", _WRITE: "Publish, archive and feature directory listings."},
    routes=(
        Route("directory/listings", f"{_API}Listings", {"GET": _READ}),
        Route(_ONE, f"{_API}OneListing", {"GET": _READ}),
        Route(f"{_ONE}/status", f"{_API}Status", {"POST": _WRITE}),
    ),
    pages="commerce.directory.urls.urlpatterns",
    record_pages=("directory.listing",),
    rows=(Row("directory_listings", "commerce.directory.rows.DirectoryListingsBlock"),),
    sitemap="commerce.directory.feeds.sections",
    searches=("commerce.directory.feeds.LISTINGS",),
    footer_links="commerce.directory.feeds.footer_links",
    account_pages=(AccountPage("Listings", "Manage your listings", "/accounts/listings/"),),
    payables={"listing_purchase": "commerce.directory.services.purchasing.PURCHASES"},
    events=(
        Event(
            "directory_listing.paid",
            "A listing's term or featured placement is paid.",
            document="commerce.directory.resources.listings.PaidDirectoryListingResource",
            resource="commerce.directory.resources.listings.paid_listing",
        ),
    ),
    mails=(
        Mail(
            "listing_moderation",
            "Tells the business that a listing, a change or a claim awaits moderation.",
            subject="{{ listing }} awaits moderation",
            placeholders={
                "listing": _LISTING["listing"],
                "reason": "A sentence that says what there is to decide",
                "link": "A link to the listing in the admin",
            },
            sample={
                "listing": _SAMPLE["listing"],
                "reason": "A new listing was submitted.",
                "link": "https://example.org/admin/listings/inspect/36/",
            },
            to_staff=True,
        ),
        Mail(
            "listing_published",
            "Tells the owner that a listing is online.",
            subject="{{ listing }} is online",
            placeholders={**_LISTING, "url": "The address of the listing"},
            sample={**_SAMPLE, "url": _PAGE},
        ),
        Mail(
            "listing_approved",
            "Tells the owner that a listing is approved, and appears once its term is paid.",
            subject="{{ listing }} is approved",
            placeholders={**_LISTING, "url": "The address at which the term is paid"},
            sample={**_SAMPLE, "url": _ACCOUNT},
        ),
        Mail(
            "listing_declined",
            "Tells the owner that a submitted listing was not published.",
            subject="{{ listing }} was not published",
            placeholders={**_LISTING, "reason": "The reason; may be empty"},
            sample={**_SAMPLE, "reason": "We only list businesses in the valley."},
        ),
        Mail(
            "listing_change_decided",
            "Tells the owner whether changes to a listing were published.",
            subject="Your changes to {{ listing }}",
            placeholders={
                **_LISTING,
                "outcome": "`were published` or `were not published`",
                "reason": "The reason; may be empty",
                "url": "The address of the listing",
            },
            sample={**_SAMPLE, "outcome": "were published", "reason": "", "url": _PAGE},
        ),
        Mail(
            "listing_claim_code",
            "Sends the code with which a listing is claimed to the address of the listing.",
            subject="Your code for {{ listing }}: {{ code }}",
            placeholders={"listing": _LISTING["listing"], "code": "The code"},
            secrets=("code",),
            sample={"listing": _SAMPLE["listing"], "code": "480172"},
            required=("code",),
        ),
        Mail(
            "listing_claim_decided",
            "Tells somebody whether a claim of a listing was approved.",
            subject="Your claim of {{ listing }}",
            placeholders={
                **_LISTING,
                "outcome": "A sentence that says what was decided",
                "reason": "The reason; may be empty",
                "url": "The address at which it goes on",
            },
            sample={**_SAMPLE, "outcome": "The listing is yours now.", "reason": "", "url": _ACCOUNT},
        ),
        Mail(
            "listing_paid",
            "Confirms a payment for a listing.",
            subject="Your payment for {{ listing }}",
            placeholders={
                **_LISTING,
                "plan": "The name of the plan",
                "amount": "The amount paid",
                "until": "A sentence that says until when it is paid",
                "url": "The address at which the owner edits the listing",
            },
            sample={
                **_SAMPLE,
                "plan": "One year",
                "amount": "$120.00",
                "until": "The listing is online until March 1, 2027.",
                "url": _ACCOUNT,
            },
        ),
        Mail(
            "listing_ending",
            "Reminds the owner to renew a listing: 14 and 3 days before its term ends, and on the last day.",
            subject="{{ listing }} is listed until {{ until }}",
            placeholders={**_LISTING, "until": "The last day of the term", "url": "The address at which it is renewed"},
            sample={**_SAMPLE, "until": "March 1, 2026", "url": _ACCOUNT},
        ),
        Mail(
            "listing_ended",
            "Tells the owner that the term of a listing has ended.",
            subject="{{ listing }} is no longer listed",
            placeholders={**_LISTING, "url": "The address at which it is renewed"},
            sample={**_SAMPLE, "url": _ACCOUNT},
        ),
        Mail(
            "listing_message",
            "Sends a visitor's message to the address of a listing.",
            subject="A message about {{ listing }}",
            placeholders={
                "listing": _LISTING["listing"],
                "name": "The visitor's name",
                "email": "The visitor's address",
                "message": "The message",
                "url": "The address of the listing",
            },
            sample={
                "listing": _SAMPLE["listing"],
                "name": "Ruth Adeyemi",
                "email": "ruth@example.com",
                "message": "Do you have the blue bowls in two sizes?\nI would pick them up on Friday.",
                "url": _PAGE,
            },
            to_staff=True,
        ),
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
    imports=(
        Import(
            "listings",
            "Listings",
            columns=(
                ImportColumn("slug", "Slug", "The last part of the address. Rows change the listing that has it."),
                ImportColumn("name", "Name", required=True, also=("title", "business_name", "company")),
                ImportColumn("description", "Description", also=("about", "text")),
                ImportColumn(
                    "categories", "Categories", "Separated by semicolons; missing ones are created.", also=("category",)
                ),
                ImportColumn("status", "Status", "published, pending or archived; new listings are published."),
                ImportColumn("featured", "Featured", "yes or no"),
                ImportColumn("expires_at", "Expires", "A date, the last day on which it is shown, or empty if it never ends."),
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
                    ImportColumn(f"hours_{day[:3].lower()}", f"Hours on {day}", "09:00-12:00, 13:00-18:00; empty if closed")
                    for day in _DAYS
                ),
            ),
            read="commerce.directory.services.importing.read",
            write="commerce.directory.services.importing.write",
            permission="directory.add_listing",
            help="A row with the slug of a listing changes it, where it has values. Other rows create listings.",
        ),
    ),
    jobs=(
        Job("remind_listing_owners", "commerce.directory.services.terms.remind_owners", every=3600, reaches_people=True),
        Job("end_featured_listings", "commerce.directory.services.terms.end_featured", every=300),
        Job("move_listing_openings", "commerce.directory.services.terms.move_openings", every=300),
        Job("cancel_unpaid_listings", "commerce.directory.services.purchasing.cancel_unpaid", every=24 * 3600),
    ),
    viewsets=("commerce.directory.admin.DIRECTORY", "commerce.directory.admin.OWNER_CHOOSER"),
    cards=(
        "commerce.directory.admin.cards.create",
        "commerce.directory.admin.cards.listings",
        "commerce.directory.admin.cards.claims",
    ),
    first_steps=("commerce.directory.admin.cards.add_listing",),
    demo="commerce.directory.demo.load",
    media_usage="commerce.directory.services.media_usage.MEDIA_USAGE",
    menu_group="sales",
    menu_order=70,
    roles=("manager",),
)
