"""The CRM module: the people and companies that the business knows."""

from cms_api.core.module import Event, Module

MODULE = Module(
    name="crm",
    title="CRM",
    description="Contacts, companies, and what happened with them.",
    feature="crm",
    group="Contacts",
    events=(
        Event("crm.contact.created", "A contact is captured.", document="commerce.crm.resources.ContactResource"),
        Event(
            "crm.contact.updated",
            "A contact is changed.",
            document="commerce.crm.resources.ContactResource",
            sample={"lifecycle": "customer", "tags": ["weddings", "ceramics"], "updated_at": "2026-03-08T09:12:00+00:00"},
        ),
    ),
)
