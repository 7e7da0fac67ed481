"""The loyalty module: points that members earn and spend."""

from cms_api.core.module import AccountPage, Admin, Api, Module, Pages, Records, SettingKey

MODULE = Module(
    name="loyalty",
    title="Loyalty",
    description="Points that members earn, for example with reviews, and spend.",
    feature="loyalty",
    requires=("members",),
    api=Api(group="Contacts"),
    pages=Pages(
        urls="commerce.loyalty.urls.urlpatterns",
        account_pages=(AccountPage("Points", "View points", "/accounts/points/"),),
    ),
    admin=Admin(
        viewsets=("commerce.loyalty.admin.LOYALTY",),
        menu_group="contacts",
        menu_order=40,
        roles=("manager",),
    ),
    records=Records(demo="commerce.loyalty.demo.load"),
    settings=(
        SettingKey("loyalty.review_bonus_points", int, 50, "For each approved review.", title="Points for a review"),
        SettingKey("loyalty.signup_bonus_points", int, 0, "For becoming a member.", title="Points for joining"),
    ),
    listens={"members.joined": "commerce.loyalty.services.welcome"},
)
