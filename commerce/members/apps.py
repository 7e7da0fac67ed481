from typing import Any

from django.apps import AppConfig


class MembersConfig(AppConfig):
    name = "commerce.members"
    label = "members"
    verbose_name = "Members"

    def ready(self) -> None:
        from django.db.models.signals import pre_delete

        from .models import Member

        def handle_deletion(instance: Any, **_: Any) -> None:
            from .services.memberships import follow_deletion

            follow_deletion(instance)

        # Wagtail's admin deletes accounts itself, and memberships by cascade; no other signal reports these.
        pre_delete.connect(handle_deletion, sender=Member, weak=False, dispatch_uid="members.deleted")
