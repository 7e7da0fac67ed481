"""The comments module. It has no switch: each content type says whether its items take comments."""

from cms_api.core.module import Block, Job, Mail, Module

MODULE = Module(
    name="comments",
    title="Comments",
    description="What visitors say beneath items, read by somebody before it shows.",
    group="Content",
    pages="cms_api.comments.urls.urlpatterns",
    mails=(
        Mail(
            "comment_received",
            "Tells the business of a comment that waits to be read. An answer goes to whoever wrote it.",
            subject="A comment on {{ item }}",
            placeholders={
                "item": "The title of the item",
                "comment": "Who wrote it, and what, as a table",
                "link": "Where it stands in the admin, as a link",
            },
            sample={
                "item": "A year in numbers",
                "comment": Block(
                    "Name: Dana Reyes\nComment: Is the mill open in August?",
                    '<table><tr><th scope="row">Name</th><td>Dana Reyes</td></tr>'
                    '<tr><th scope="row">Comment</th><td>Is the mill open in August?</td></tr></table>',
                ),
                "link": Block(
                    "In the admin: https://example.org/admin/comments/inspect/27/",
                    '<a href="https://example.org/admin/comments/inspect/27/">Read it in the admin</a>',
                ),
            },
        ),
    ),
    jobs=(Job("clear_spam_comments", "cms_api.comments.services.clear_spam", every=24 * 3600),),
    viewsets=("cms_api.comments.admin.COMMENTS",),
    roles=("manager", "editor"),
    demo="cms_api.comments.demo.load",
)
