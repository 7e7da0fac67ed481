"""The gateway module: the OpenAPI document and the documentation page generated from it."""

from cms_api.core.module import ANY, PUBLIC, Module, Route

MODULE = Module(
    name="gateway",
    title="API gateway",
    description="The OpenAPI description of the API.",
    routes=(
        Route("", "cms_api.gateway.api.Root", {"GET": ANY}),
        Route("openapi.json", "cms_api.gateway.api.Document", {"GET": PUBLIC}),
    ),
    viewsets=("cms_api.gateway.documentation.admin.DOCUMENTATION",),
    footer_links="cms_api.gateway.documentation.views.footer_links",
    menu_group="api",
    menu_order=30,
    first_steps=("cms_api.gateway.dashboard.switch_features_on", "cms_api.gateway.dashboard.invite_editor"),
)
