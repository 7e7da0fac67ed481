"""The loyalty module: points that members collect and spend."""

from cms_api.core.module import AccountPage, Module, SettingKey

MODULE = Module(
    name="loyalty",
    title="Loyalty",
    description="Points that members collect, such as for reviews, and spend.",
    feature="loyalty",
    requires=("members",),
    group="Contacts",
    pages="commerce.loyalty.urls.urlpatterns",
    account_pages=(AccountPage("Points", "See your points", "/accounts/points/"),),
    listens={"members.joined": "commerce.loyalty.services.welcome"},
    settings=(
        SettingKey("loyalty.review_bonus_points", int, 50, "How many points a member gets for a review that is approved."),
        SettingKey("loyalty.signup_bonus_points", int, 0, "How many points somebody gets who becomes a member."),
    ),
    viewsets=("commerce.loyalty.admin.LOYALTY",),
    roles=("manager",),
    demo="commerce.loyalty.demo.load",
)
