"""The loyalty module: points that members earn and spend."""

from cms_api.core.module import AccountPage, Module, SettingKey

MODULE = Module(
    name="loyalty",
    title="Loyalty",
    description="Points that members earn, for example with reviews, and spend.",
    feature="loyalty",
    requires=("members",),
    group="Contacts",
    pages="commerce.loyalty.urls.urlpatterns",
    account_pages=(AccountPage("Points", "View points", "/accounts/points/"),),
    listens={"members.joined": "commerce.loyalty.services.welcome"},
    settings=(
        SettingKey("loyalty.review_bonus_points", int, 50, "For each approved review.", title="Points for a review"),
        SettingKey("loyalty.signup_bonus_points", int, 0, "For becoming a member.", title="Points for joining"),
    ),
    viewsets=("commerce.loyalty.admin.LOYALTY",),
    menu_group="contacts",
    menu_order=40,
    roles=("manager",),
    demo="commerce.loyalty.demo.load",
)
