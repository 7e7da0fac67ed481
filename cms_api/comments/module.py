"""The comments module. It has no switch: each content type says whether its items take comments."""

from cms_api.core.module import Admin, Api, Job, Module, Pages, Records

from .mails import MAILS

MODULE = Module(
    name="comments",
    title="Comments",
    description="Moderated comments on content items.",
    api=Api(group="Content"),
    pages=Pages(urls="cms_api.comments.urls.urlpatterns"),
    admin=Admin(
        viewsets=("cms_api.comments.admin.COMMENTS",),
        menu_group="website",
        menu_order=40,
        cards={"cms_api.comments.admin.cards.waiting": "comments.change_comment"},
        roles=("manager", "editor"),
    ),
    records=Records(demo="cms_api.comments.demo.load"),
    mails=MAILS,
    jobs=(Job("clear_spam_comments", "cms_api.comments.services.clear_spam", every=24 * 3600),),
)
