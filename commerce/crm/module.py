"""The CRM module: the people and companies that the business knows."""

from cms_api.core.module import Event, Module, Route

MODULE = Module(
    name="crm",
    title="CRM",
    description="Contacts, companies, and what happened with them.",
    feature="crm",
    group="Contacts",
    abilities={"crm:read": "Read contacts", "crm:write": "Capture and change contacts"},
    routes=(
        Route("crm/contacts", "commerce.crm.api.Contacts", {"GET": "crm:read", "POST": "crm:write"}),
        Route("crm/contacts/<id:contact>", "commerce.crm.api.OneContact", {"GET": "crm:read", "PATCH": "crm:write"}),
    ),
    events=(
        Event(
            "crm.contact.created",
            "A contact is captured.",
            document="commerce.crm.resources.ContactResource",
            resource="commerce.crm.resources.contact",
        ),
        Event(
            "crm.contact.updated",
            "A contact is changed.",
            document="commerce.crm.resources.ContactResource",
            resource="commerce.crm.resources.contact",
            sample={"lifecycle": "customer", "tags": ["weddings", "ceramics"], "updated_at": "2026-03-08T09:12:00+00:00"},
        ),
    ),
    captures="commerce.crm.services.capture.capture",
    follows_mails="commerce.crm.services.timeline.follow_mails",
    viewsets=("commerce.crm.admin.CRM",),
    roles=("manager",),
    demo="commerce.crm.demo.load",
)
