"""The analytics module: visits without cookies, goals, and the reports about both."""

from cms_api.core.module import Job, Module, PageScript, Queue, Route, SettingKey

_API = "cms_api.analytics.api."
_CONVERSIONS = "cms_api.analytics.services.conversions."
_READ = "analytics:read"
#: The address to which pages send their messages.
COLLECT = "/visits"

MODULE = Module(
    name="analytics",
    title="Analytics",
    description="Visits, sources and conversions, counted without cookies.",
    feature="analytics",
    group="Platform",
    abilities={_READ: "Read reports about visits and conversions"},
    routes=tuple(
        Route(f"analytics/{name}", f"{_API}{name.capitalize()}", {"GET": _READ})
        for name in ("summary", "timeseries", "pages", "referrers", "sources", "conversions")
    ),
    page_scripts=(PageScript("analytics/visit.js", {"to": COLLECT}),),
    beacons={COLLECT: "cms_api.analytics.services.collecting.collect"},
    listens={
        "form.submitted": f"{_CONVERSIONS}form",
        "subscriber.created": f"{_CONVERSIONS}subscription",
        "order.paid": f"{_CONVERSIONS}order",
        "booking.created": f"{_CONVERSIONS}booking",
        "ticket_order.paid": f"{_CONVERSIONS}ticket",
        "donation.received": f"{_CONVERSIONS}donation",
        "payments.started": f"{_CONVERSIONS}follow_payment",
    },
    queues=(Queue("store_visits", "cms_api.analytics.services.ingesting.STORING"),),
    jobs=(Job("delete_old_visits", "cms_api.analytics.services.housekeeping.delete_old", every=3600, always=True),),
    settings=(
        SettingKey(
            "analytics.keep_events_days",
            int,
            60,
            "Days for which single visits are kept. Reports are not affected: they are made of daily sums.",
            title="Days to keep visits",
        ),
        SettingKey("analytics.keep_months", int, 36, "Months for which reports are kept.", title="Months to keep reports"),
        SettingKey(
            "analytics.excluded_addresses",
            str,
            "",
            "Addresses or networks whose visits are not counted, such as that of your office: 203.0.113.7, 2001:db8::/32.",
            title="Addresses that are not counted",
        ),
        SettingKey(
            "analytics.country_header",
            str,
            "",
            "The header in which your proxy or CDN names the visitor's country, such as CF-IPCountry. Empty: none is known.",
            title="Header with the country",
        ),
        SettingKey(
            "analytics.kept_parameters",
            str,
            "",
            "Parameters of addresses that make another page in reports, such as: view, page.",
        ),
    ),
    menu_group="reports",
    menu_order=10,
    roles=("manager",),
    demo="cms_api.analytics.demo.load",
)
