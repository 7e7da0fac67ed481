"""The mail module: email templates, the queue and delivery."""

from cms_api.core.module import Admin, Job, Module, Queue, Records, Signal

MODULE = Module(
    name="mail",
    title="Mail",
    description="Emails to visitors, customers and staff.",
    admin=Admin(
        viewsets=("cms_api.mail.admin.TEMPLATES", "cms_api.mail.admin.LOG"),
        menu_group="settings",
        menu_order=20,
        cards={"cms_api.mail.admin.cards.count_failed": "mail.change_outgoingmail"},
        roles=("manager",),
    ),
    records=Records(demo="cms_api.mail.demo.load"),
    signals=(Signal("mail.queued", "Mails of one kind are queued.", "mails: list[QueuedMail]"),),
    jobs=(Job("drop_old_mail", "cms_api.mail.services.log.drop_old", every=24 * 3600),),
    queues=(Queue("send_mail", "cms_api.mail.services.sending.SENDING"),),
)
