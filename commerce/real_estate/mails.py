"""The emails of the real estate module: subjects, placeholders and samples."""

from cms_api.core.module import Block, Mail

MAILS = (
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
)
