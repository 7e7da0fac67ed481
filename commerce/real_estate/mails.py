"""The emails of the real estate module: subjects, placeholders and samples."""

from cms_api.core.module import Block, Mail, Placeholder

MAILS = (
    Mail(
        "property_inquiry",
        "Notifies the business of an inquiry about a listing. Replies go to the visitor.",
        subject="Inquiry about {{ listing }}",
        placeholders={
            "name": Placeholder("The visitor's name", "Dana Reyes"),
            "listing": Placeholder("The listing's address", "14 Canal Street, Brattleboro, VT 05301"),
            "inquiry": Placeholder(
                "The listing, the visitor's details and the message, as a table",
                Block(
                    "Name: Dana Reyes\nEmail: dana@example.org\nMessage: Can I see the house on Saturday?",
                    '<table><tr><th scope="row">Name</th><td>Dana Reyes</td></tr>'
                    '<tr><th scope="row">Email</th><td>dana@example.org</td></tr>'
                    '<tr><th scope="row">Message</th><td>Can I see the house on Saturday?</td></tr></table>',
                ),
            ),
            "url": Placeholder(
                "The address of the listing's page",
                "https://example.org/real-estate/listings/14-canal-street-brattleboro-vt-4981207",
            ),
        },
        to_staff=True,
    ),
    Mail(
        "saved_search_results",
        "Sends an account the new listings of a saved search, daily or weekly, unless there are none.",
        subject="{{ count }} for “{{ search }}”",
        placeholders={
            "name": Placeholder("The account's first name", "Dana"),
            "search": Placeholder("The name of the saved search", "Houses in Brattleboro"),
            "count": Placeholder("How many new listings there are", "1 new listing"),
            "listings": Placeholder(
                "The new listings, each with its price and a link",
                Block(
                    "14 Canal Street, Brattleboro, VT 05301: $489,000\n"
                    "https://example.org/real-estate/listings/14-canal-street-brattleboro-vt-4981207",
                    '<ul><li><a href="https://example.org/real-estate/listings/14-canal-street-brattleboro-vt-4981207">'
                    "14 Canal Street, Brattleboro, VT 05301</a>: $489,000</li></ul>",
                ),
            ),
            "unsubscribe_url": Placeholder(
                "The page on which these emails are ended", "https://example.org/real-estate/searches/unsubscribe/7:6Jt0pWq3/"
            ),
        },
        required=("unsubscribe_url",),
    ),
)
