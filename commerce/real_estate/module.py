"""The real estate module: property listings imported from feeds of multiple listing services."""

from cms_api.core.module import AccountPage, Block, Job, Mail, Module, Queue, Route, Row, SettingKey

_API = "commerce.real_estate.api."

MODULE = Module(
    name="real_estate",
    title="Real estate",
    description="Property listings imported from MLS feeds.",
    feature="real_estate",
    uses=("accounts",),
    group="Commerce",
    abilities={"real_estate:read": "Read property listings."},
    routes=(
        Route("real-estate/listings", f"{_API}Listings", {"GET": "real_estate:read"}),
        Route("real-estate/listings/<ref:listing>", f"{_API}OneListing", {"GET": "real_estate:read"}),
    ),
    pages="commerce.real_estate.urls.urlpatterns",
    record_pages=("real_estate.listing",),
    rows=(Row("property_listings", "commerce.real_estate.rows.PropertyListingsBlock"),),
    sitemap="commerce.real_estate.feeds.sections",
    searches=("commerce.real_estate.feeds.LISTINGS",),
    footer_links="commerce.real_estate.feeds.footer_links",
    account_pages=(AccountPage("Saved searches", "Manage your saved searches", "/accounts/searches/"),),
    mails=(
        Mail(
            "property_inquiry",
            "Notifies the business of an inquiry about a listing. Replies go to the visitor.",
            subject="Inquiry about {{ listing }}",
            placeholders={
                "name": "The visitor's name",
                "listing": "The listing's address",
                "inquiry": "The listing, the visitor's details and the message, as a table",
                "url": "The address of the listing's page",
            },
            sample={
                "name": "Dana Reyes",
                "listing": "14 Canal Street, Brattleboro, VT 05301",
                "inquiry": Block(
                    "Name: Dana Reyes\nEmail: dana@example.org\nMessage: Can I see the house on Saturday?",
                    '<table><tr><th scope="row">Name</th><td>Dana Reyes</td></tr>'
                    '<tr><th scope="row">Email</th><td>dana@example.org</td></tr>'
                    '<tr><th scope="row">Message</th><td>Can I see the house on Saturday?</td></tr></table>',
                ),
                "url": "https://example.org/real-estate/listings/14-canal-street-brattleboro-vt-4981207",
            },
            to_staff=True,
        ),
        Mail(
            "saved_search_results",
            "Sends an account the new listings of a saved search, daily or weekly, unless there are none.",
            subject="{{ count }} for “{{ search }}”",
            placeholders={
                "name": "The account's first name",
                "search": "The name of the saved search",
                "count": "How many new listings there are",
                "listings": "The new listings, each with its price and a link",
                "unsubscribe_url": "The page on which these emails are ended",
            },
            sample={
                "name": "Dana",
                "search": "Houses in Brattleboro",
                "count": "1 new listing",
                "listings": Block(
                    "14 Canal Street, Brattleboro, VT 05301: $489,000\n"
                    "https://example.org/real-estate/listings/14-canal-street-brattleboro-vt-4981207",
                    '<ul><li><a href="https://example.org/real-estate/listings/14-canal-street-brattleboro-vt-4981207">'
                    "14 Canal Street, Brattleboro, VT 05301</a>: $489,000</li></ul>",
                ),
                "unsubscribe_url": "https://example.org/real-estate/searches/unsubscribe/7:6Jt0pWq3/",
            },
            required=("unsubscribe_url",),
        ),
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
    viewsets=("commerce.real_estate.admin.REAL_ESTATE",),
    cards=("commerce.real_estate.admin.cards.feeds",),
    first_steps=("commerce.real_estate.admin.cards.add_feed",),
    demo="commerce.real_estate.demo.load",
    media_usage="commerce.real_estate.services.media_usage.MEDIA_USAGE",
    menu_group="sales",
    menu_order=75,
    roles=("manager",),
)
