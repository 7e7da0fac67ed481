"""The payments module: attempts to pay, refunds and providers, for all modules that sell."""

from django.conf import settings

from cms_api.core.module import ADMINS, Admin, Always, Job, Module, Pages, SettingKey, Signal

MODULE = Module(
    name="payments",
    title="Payments",
    description="Payments and refunds of orders, plans and other records.",
    feature="payments",
    is_support=True,
    pages=Pages(urls="commerce.payments.urls.urlpatterns"),
    admin=Admin(
        viewsets=("commerce.payments.admin.PAYMENTS",),
        menu_group="sales",
        menu_order=80,
        cards={
            "commerce.payments.admin.cards.set_up": ADMINS,
            "commerce.payments.admin.cards.to_settle": "payments.change_payment",
            "commerce.payments.admin.cards.failed_refunds": "payments.change_payment",
            "commerce.payments.admin.cards.disputes": "payments.change_payment",
        },
        roles=("manager",),
    ),
    settings=(
        SettingKey(
            "payments.provider",
            str,
            "stripe" if settings.STRIPE_SECRET_KEY else "offline",
            "Takes new payments. Stripe needs its keys, which are set where the site is installed.",
            choices={"offline": "Test payments", "stripe": "Stripe"},
            title="Payment provider",
        ),
        SettingKey(
            "payments.unpaid_orders_per_network",
            int,
            5,
            "How much visitors of one network may reserve before they pay, in orders: seats, stock and times that are limited. "
            "They can buy more once they have paid. 0 for no limit.",
            title="Unpaid orders of one network",
        ),
        SettingKey(
            "payments.unpaid_bookings_per_network",
            int,
            20,
            "How many appointments and orders that are not paid in advance visitors of one network may make in a day. "
            "0 for no limit.",
            title="Bookings of one network",
        ),
        SettingKey(
            "payments.allow_test_payments",
            bool,
            False,
            "For trying out the shop: anybody can then pay without money.",
            title="Accept test payments",
        ),
    ),
    signals=(
        Signal("payments.started", "An attempt to pay begins, in the request of the customer or in a job.", "payment: Payment"),
        Signal("payments.paid", "The money of an attempt has arrived, also if its record can't use it.", "payment: Payment"),
    ),
    listens={"payments.paid": Always("commerce.payments.services.following.follow")},
    jobs=(
        Job("sweep_payments", "commerce.payments.services.sweeping.sweep_payments", every=60),
        Job("drop_old_payment_events", "commerce.payments.services.events.drop_old_events", every=24 * 3600),
    ),
)
