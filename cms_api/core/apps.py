from django.apps import AppConfig


class CoreConfig(AppConfig):
    name = "cms_api.core"
    label = "core"
    verbose_name = "Core"

    def ready(self) -> None:
        from django_q.signals import pre_execute

        # Importing the converters registers them.
        from cms_api.core import converters, versions  # noqa: F401

        # Each task starts with a fresh snapshot of the versions, as a request does.
        pre_execute.connect(lambda **_: versions.forget(), weak=False, dispatch_uid="core.versions")
