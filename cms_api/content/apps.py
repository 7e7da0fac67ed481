from django.apps import AppConfig
from wagtail.snippets.apps import WagtailSnippetsAppConfig


class ContentConfig(AppConfig):
    name = "cms_api.content"
    label = "content"
    verbose_name = "Content"
    default = True

    def ready(self) -> None:
        from wagtail.models.reference_index import ReferenceIndex

        from .models import ContentItem

        # Wagtail does so for snippets when the admin is loaded; items are written without the admin too.
        ReferenceIndex.register_model(ContentItem)


class SnippetsConfig(WagtailSnippetsAppConfig):
    """Wagtail's snippets without their part of Wagtail's API v3, which is not served; see `media.apps`."""

    default = False

    def ready(self) -> None:
        from django.db.models.signals import post_migrate
        from wagtail.snippets.models import create_extra_permissions, register_deferred_snippets

        register_deferred_snippets()
        post_migrate.connect(create_extra_permissions, sender=self)
