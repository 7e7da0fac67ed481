"""The CRM module: contacts, companies and their timelines."""

from cms_api.core.module import Admin, Api, Event, Import, ImportColumn, Module, Records, Route

MODULE = Module(
    name="crm",
    title="CRM",
    description="Contacts, companies and their activity.",
    feature="crm",
    api=Api(
        group="Contacts",
        abilities={"crm:read": "Read contacts", "crm:write": "Create and edit contacts"},
        routes=(
            Route("crm/contacts", "commerce.crm.api.Contacts", {"GET": "crm:read", "POST": "crm:write"}),
            Route("crm/contacts/<id:contact>", "commerce.crm.api.OneContact", {"GET": "crm:read", "PATCH": "crm:write"}),
        ),
        events=(
            Event(
                "crm.contact.created",
                "A contact is created.",
                document="commerce.crm.resources.ContactResource",
                resource="commerce.crm.resources.contact",
            ),
            Event(
                "crm.contact.updated",
                "A contact is updated.",
                document="commerce.crm.resources.ContactResource",
                resource="commerce.crm.resources.contact",
                sample={"lifecycle": "customer", "tags": ["weddings", "ceramics"], "updated_at": "2026-03-08T09:12:00+00:00"},
            ),
        ),
    ),
    admin=Admin(
        viewsets=("commerce.crm.admin.CONTACTS", "commerce.crm.admin.COMPANIES", "commerce.crm.admin.RULES"),
        menu_group="contacts",
        menu_order=10,
        cards={"commerce.crm.admin.cards.create": "crm.add_contact"},
        roles=("manager",),
        contact_url="commerce.crm.selectors.admin_url",
    ),
    records=Records(
        imports=(
            Import(
                "contacts",
                "Contacts",
                columns=(
                    ImportColumn("email", "Email", required=True, also=("mail", "email address", "e-mail 1 - value", "email 1")),
                    ImportColumn("first_name", "First name", also=("given name", "forename")),
                    ImportColumn("last_name", "Last name", also=("family name", "surname")),
                    ImportColumn(
                        "name", "Full name", "Split into first and last name if those are empty.", also=("display name",)
                    ),
                    ImportColumn(
                        "phone", "Phone", also=("telephone", "phone number", "mobile", "mobile phone", "phone 1 - value")
                    ),
                    ImportColumn("job_title", "Job title", also=("position", "organization title")),
                    ImportColumn(
                        "company", "Company", also=("organization", "organisation", "organization name", "company name")
                    ),
                    ImportColumn(
                        "lifecycle", "Lifecycle", "Lead, prospect, customer, partner or inactive.", also=("lifecycle stage",)
                    ),
                    ImportColumn("street", "Street", also=("address", "address 1", "address line 1", "street address")),
                    ImportColumn("street2", "Street, line 2", also=("address 2", "address line 2")),
                    ImportColumn("city", "City", also=("town",)),
                    ImportColumn("state", "State or region", also=("region", "province", "county")),
                    ImportColumn("postal_code", "Postal code", also=("zip", "zip code", "postcode")),
                    ImportColumn("country", "Country"),
                    ImportColumn("tags", "Tags", "Separate tags with commas or semicolons.", also=("tag", "labels", "groups")),
                    ImportColumn("notes", "Notes", also=("note", "comments")),
                    ImportColumn("source", "Source", "Where the contact came from. Defaults to “import”.", also=("lead source",)),
                ),
                read="commerce.crm.services.importing.read",
                write="commerce.crm.services.importing.write",
                permission="crm.add_contact",
                help="Existing contacts are not overwritten; only blank fields are filled in.",
            ),
        ),
        demo="commerce.crm.demo.load",
    ),
    listens={
        "forms.submission_received": "commerce.crm.services.capture.capture",
        "accounts.address_changed": "commerce.crm.services.moving.move_contact",
        "mail.queued": "commerce.crm.services.timeline.record_mails",
    },
)
