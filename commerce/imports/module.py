"""The imports module: background imports of CSV files into other modules, with progress."""

from cms_api.core.module import Admin, Job, Module

MODULE = Module(
    name="imports",
    title="Imports",
    description="Imports of contacts, subscribers and other records from CSV files.",
    admin=Admin(
        viewsets=("commerce.imports.admin.IMPORTS",),
        menu_group="contacts",
        menu_order=90,
        cards={"commerce.imports.admin.cards.count_failed": "wagtailadmin.access_admin"},
    ),
    jobs=(
        Job("requeue_imports", "commerce.imports.services.runs.requeue_stranded", every=60),
        Job("drop_old_imports", "commerce.imports.services.runs.drop_old", every=24 * 3600, deletes_strays=True),
    ),
)
