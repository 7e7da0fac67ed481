"""The emails of the comments module: subjects, placeholders and samples."""

from cms_api.core.module import Block, Mail, Placeholder

MAILS = (
    Mail(
        "comment_received",
        "Notifies the business of a comment awaiting moderation. Replies go to its author.",
        subject="New comment on {{ item }}",
        placeholders={
            "item": Placeholder("The title of the item", "A year in numbers"),
            "comment": Placeholder(
                "The author's name, email address and text, as a table",
                Block(
                    "Name: Dana Reyes\nComment: Is the mill open in August?",
                    '<table><tr><th scope="row">Name</th><td>Dana Reyes</td></tr>'
                    '<tr><th scope="row">Comment</th><td>Is the mill open in August?</td></tr></table>',
                ),
            ),
            "link": Placeholder(
                "A link to the comment in the admin",
                Block(
                    "Review the comment: https://example.org/admin/comments/inspect/27/",
                    '<a href="https://example.org/admin/comments/inspect/27/">Review the comment</a>',
                ),
            ),
        },
        to_staff=True,
    ),
)
