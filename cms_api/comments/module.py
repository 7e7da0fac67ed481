"""The comments module. It has no switch: each content type says whether its items take comments."""

from cms_api.core.module import Block, Job, Mail, Module

MODULE = Module(
    name="comments",
    title="Comments",
    description="Moderated comments on content items.",
    group="Content",
    pages="cms_api.comments.urls.urlpatterns",
    mails=(
        Mail(
            "comment_received",
            "Notifies the business of a comment awaiting moderation. Replies go to its author.",
            subject="New comment on {{ item }}",
            placeholders={
                "item": "The title of the item",
                "comment": "The author's name, email address and text, as a table",
                "link": "A link to the comment in the admin",
            },
            sample={
                "item": "A year in numbers",
                "comment": Block(
                    "Name: Dana Reyes\nComment: Is the mill open in August?",
                    '<table><tr><th scope="row">Name</th><td>Dana Reyes</td></tr>'
                    '<tr><th scope="row">Comment</th><td>Is the mill open in August?</td></tr></table>',
                ),
                "link": Block(
                    "Review the comment: https://example.org/admin/comments/inspect/27/",
                    '<a href="https://example.org/admin/comments/inspect/27/">Review the comment</a>',
                ),
            },
            to_staff=True,
        ),
    ),
    jobs=(Job("clear_spam_comments", "cms_api.comments.services.clear_spam", every=24 * 3600),),
    viewsets=("cms_api.comments.admin.COMMENTS",),
    menu_group="website",
    menu_order=40,
    cards=("cms_api.comments.admin.cards.waiting",),
    roles=("manager", "editor"),
    demo="cms_api.comments.demo.load",
)
