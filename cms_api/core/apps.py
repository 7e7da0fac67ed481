from django.apps import AppConfig


class CoreConfig(AppConfig):
    name = "cms_api.core"
    label = "core"
    verbose_name = "Core"

    def ready(self) -> None:
        from django.urls import register_converter
        from django_q.signals import pre_execute

        from cms_api.core import versions
        from cms_api.core.converters import IdConverter, RefConverter

        register_converter(IdConverter, "id")
        register_converter(RefConverter, "ref")

        # Each task starts with a fresh snapshot of the versions, as a request does.
        pre_execute.connect(lambda **_: versions.forget(), weak=False, dispatch_uid="core.versions")
