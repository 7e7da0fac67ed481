"""The analytics module: visits without cookies, goals, and the reports about both."""

from cms_api.core.module import Admin, Api, Job, Module, Pages, PageScript, Queue, Records, Route, SettingKey

from .mails import MAILS

_API = "cms_api.analytics.api."
_CONVERSIONS = "cms_api.analytics.services.conversions."
_EXCLUSIONS = "cms_api.analytics.types.exclusions."
_READ = "analytics:read"

#: The address to which pages send their messages.
COLLECT = "/visits"

MODULE = Module(
    name="analytics",
    title="Analytics",
    description="Visits, sources and conversions, counted without cookies.",
    feature="analytics",
    api=Api(
        group="Platform",
        abilities={_READ: "Read reports about visits and conversions"},
        routes=tuple(
            Route(f"analytics/{name}", f"{_API}{name.capitalize()}", {"GET": _READ})
            for name in ("summary", "timeseries", "pages", "referrers", "sources", "conversions")
        ),
    ),
    pages=Pages(
        scripts=(PageScript("analytics/visit.js", {"to": COLLECT}),),
        beacons={COLLECT: "cms_api.analytics.services.collecting.collect"},
    ),
    admin=Admin(
        viewsets=("cms_api.analytics.admin.DASHBOARD",),
        menu_group="reports",
        menu_order=10,
        cards={"cms_api.analytics.admin.cards.visitors": "analytics.view_rollup"},
        roles=("manager",),
    ),
    records=Records(demo="cms_api.analytics.demo.load"),
    settings=(
        SettingKey(
            "analytics.weekly_mail",
            bool,
            False,
            "The figures of the last week are emailed to the business address on Monday morning.",
            title="Weekly report by email",
        ),
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
            "Addresses and networks whose visits are not counted, such as your office's: 203.0.113.7, 2001:db8::/32.",
            title="Excluded addresses",
            is_list=True,
            check=f"{_EXCLUSIONS}network_mistake",
        ),
        SettingKey(
            "analytics.excluded_paths",
            str,
            "",
            "Pages whose views are not counted, with all pages below them: /internal. A * matches anything: /events/*/draft.",
            title="Excluded paths",
            is_list=True,
            check=f"{_EXCLUSIONS}path_mistake",
        ),
        SettingKey(
            "analytics.spam_referrers",
            str,
            "",
            "Sites whose visits are not counted, besides those known for referrer spam: example.com.",
            title="Spam referrers",
            is_list=True,
            check=f"{_EXCLUSIONS}host_mistake",
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
            is_list=True,
        ),
    ),
    mails=MAILS,
    listens={
        "form.submitted": f"{_CONVERSIONS}form",
        "subscriber.created": f"{_CONVERSIONS}subscription",
        "order.paid": f"{_CONVERSIONS}order",
        "booking.created": f"{_CONVERSIONS}booking",
        "ticket_order.paid": f"{_CONVERSIONS}ticket",
        "donation.received": f"{_CONVERSIONS}donation",
        "payments.started": f"{_CONVERSIONS}follow_payment",
    },
    jobs=(
        Job("delete_old_visits", "cms_api.analytics.services.housekeeping.delete_old", every=3600, always=True),
        Job("make_visit_partitions", "cms_api.analytics.services.partitions.make_coming", every=6 * 3600, always=True),
        Job("sum_visits_by_month", "cms_api.analytics.services.rolling_up.sum_months", every=6 * 3600, always=True),
        Job("send_weekly_report", "cms_api.analytics.services.weekly.send_weekly_report", every=900, reaches_people=True),
    ),
    queues=(Queue("store_visits", "cms_api.analytics.services.ingesting.STORING"),),
)
