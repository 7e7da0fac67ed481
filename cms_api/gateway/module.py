"""The gateway module: the OpenAPI document and the documentation page generated from it."""

from cms_api.core.module import ANY, PUBLIC, Job, Module, Route, SettingKey

MODULE = Module(
    name="gateway",
    title="API gateway",
    description="The OpenAPI description of the API.",
    routes=(
        Route("", "cms_api.gateway.api.Root", {"GET": ANY}),
        Route("openapi.json", "cms_api.gateway.api.Document", {"GET": PUBLIC}),
    ),
    viewsets=("cms_api.gateway.documentation.admin.DOCUMENTATION", "cms_api.gateway.jobs_admin.JOBS"),
    cards=(
        "cms_api.gateway.jobs_admin.pauses",
        "cms_api.gateway.jobs_admin.problems",
        "cms_api.gateway.jobs_admin.delays",
        "cms_api.gateway.jobs_admin.failures",
    ),
    jobs=(Job("drop_failed_tasks", "cms_api.gateway.status.drop_old_failures", every=24 * 3600, always=True),),
    footer_links="cms_api.gateway.documentation.views.footer_links",
    settings=(
        SettingKey(
            "security.contact",
            str,
            "",
            "Email addresses or https:// pages for reports of vulnerabilities, shown in /.well-known/security.txt.",
            title="Security contact",
            is_list=True,
            check="cms_api.gateway.security_txt.contact_mistake",
        ),
    ),
    menu_group="api",
    menu_order=30,
    first_steps=("cms_api.gateway.dashboard.switch_features_on", "cms_api.gateway.dashboard.invite_editor"),
)
