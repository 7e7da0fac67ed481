"""The real estate module: property listings imported from feeds of multiple listing services."""

from cms_api.core.module import AccountPage, Admin, Api, Job, Module, Pages, Queue, Records, Route, Row, SettingKey

from .mails import MAILS

_API = "commerce.real_estate.api."

MODULE = Module(
    name="real_estate",
    title="Real estate",
    description="Property listings imported from MLS feeds.",
    feature="real_estate",
    uses=("accounts",),
    api=Api(
        group="Commerce",
        abilities={"real_estate:read": "Read property listings."},
        nouns={"real-estate/listings": "property_listings"},
        routes=(
            Route("real-estate/listings", f"{_API}Listings", {"GET": "real_estate:read"}),
            Route("real-estate/listings/<ref:listing>", f"{_API}OneListing", {"GET": "real_estate:read"}),
        ),
    ),
    pages=Pages(
        urls="commerce.real_estate.urls.urlpatterns",
        account_pages=(AccountPage("Saved searches", "Manage your saved searches", "/accounts/searches/"),),
        sitemap="commerce.real_estate.feeds.sections",
        searches=("commerce.real_estate.feeds.LISTINGS",),
        footer_links="commerce.real_estate.feeds.footer_links",
        rows=(Row("property_listings", "commerce.real_estate.rows.PropertyListingsBlock"),),
        record_pages=("real_estate.listing",),
    ),
    admin=Admin(
        viewsets=("commerce.real_estate.admin.REAL_ESTATE",),
        menu_group="sales",
        menu_order=75,
        cards={"commerce.real_estate.admin.cards.feeds": "real_estate.change_feed"},
        first_steps={"commerce.real_estate.admin.cards.add_feed": "real_estate.add_feed"},
        roles=("manager",),
    ),
    records=Records(
        media_usage="commerce.real_estate.services.media_usage.MEDIA_USAGE",
        demo="commerce.real_estate.demo.load",
    ),
    settings=(
        SettingKey(
            "real_estate.inquiries_to",
            str,
            "",
            "The email address that gets inquiries about listings. Defaults to the business address.",
            title="Send inquiries to",
        ),
        SettingKey(
            "real_estate.disclaimer",
            str,
            "",
            "Shown below listings, as the rules of most multiple listing services ask.",
            title="Disclaimer of listings",
        ),
    ),
    mails=MAILS,
    jobs=(
        Job("send_saved_searches", "commerce.real_estate.services.searches.send_saved_searches", every=600, reaches_people=True),
        Job("clear_former_photos", "commerce.real_estate.services.photos.clear_former_photos", every=600, always=True),
        Job(
            "clear_property_runs",
            "commerce.real_estate.services.housekeeping.clear_runs",
            every=86_400,
            always=True,
            deletes_strays=True,
        ),
    ),
    queues=(
        Queue("run_feeds", "commerce.real_estate.services.running.RUNNING"),
        Queue("copy_property_photos", "commerce.real_estate.services.photos.COPYING"),
    ),
)
