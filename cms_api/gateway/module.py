"""The gateway module: the OpenAPI document and the documentation page generated from it."""

from cms_api.core.module import ADMINS, ANY, PUBLIC, Admin, Api, Job, Module, Pages, Route, SettingKey

MODULE = Module(
    name="gateway",
    title="API gateway",
    description="The OpenAPI description of the API.",
    api=Api(
        routes=(
            Route("", "cms_api.gateway.api.Root", {"GET": ANY}),
            Route("openapi.json", "cms_api.gateway.api.Document", {"GET": PUBLIC}),
        ),
    ),
    pages=Pages(footer_links="cms_api.gateway.documentation.views.footer_links"),
    admin=Admin(
        viewsets=("cms_api.gateway.documentation.admin.DOCUMENTATION", "cms_api.gateway.jobs_admin.JOBS"),
        menu_group="api",
        menu_order=30,
        cards={
            "cms_api.gateway.jobs_admin.pauses": ADMINS,
            "cms_api.gateway.jobs_admin.problems": ADMINS,
            "cms_api.gateway.jobs_admin.delays": ADMINS,
            "cms_api.gateway.jobs_admin.failures": ADMINS,
        },
        first_steps={
            "cms_api.gateway.dashboard.switch_features_on": ADMINS,
            "cms_api.gateway.dashboard.invite_editor": "auth.add_user",
        },
    ),
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
    jobs=(Job("drop_failed_tasks", "cms_api.gateway.status.drop_old_failures", every=24 * 3600, always=True),),
)
