"""The imports module: CSV files that become records of other modules, in the background and with their progress shown."""

from cms_api.core.module import Job, Module

MODULE = Module(
    name="imports",
    title="Imports",
    description="CSV files that become contacts, subscribers and other records.",
    jobs=(
        Job("take_up_imports", "commerce.imports.services.runs.take_up_stranded", every=60),
        Job("drop_old_imports", "commerce.imports.services.runs.drop_old", every=24 * 3600),
    ),
    viewsets=("commerce.imports.admin.IMPORTS",),
)
