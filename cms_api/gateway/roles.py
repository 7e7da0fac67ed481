"""The three roles as groups, with the permissions that the modules declare (`roles`, `model_roles`).

Admin does everything; manager works with all records; editor with content, media, pages and comments only.
"""

from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import AbstractBaseUser, Group, Permission
from django.db import transaction
from django.db.models import QuerySet
from wagtail.models import Collection, GroupCollectionPermission, GroupPagePermission, Page

from cms_api.core import registry
from cms_api.core.errors import Invalid, invalid_choice

ADMIN, MANAGER, EDITOR = "admin", "manager", "editor"
ROLES = (ADMIN, MANAGER, EDITOR)

_PAGES = ("add_page", "change_page", "publish_page", "view_page")
#: Wagtail checks permissions of its own models, whatever models the library uses; change permission includes deletion.
_FILES = {
    "wagtailimages": ("add_image", "change_image", "choose_image"),
    "wagtaildocs": ("add_document", "change_document", "choose_document"),
}


@transaction.atomic
def create_roles() -> None:
    """Create the groups, or add the permissions of modules installed since."""
    Group.objects.get_or_create(name=ADMIN)
    for name in (MANAGER, EDITOR):
        group, _ = Group.objects.get_or_create(name=name)
        group.permissions.set(_permissions(name))
        _grant_pages(group)
        _grant_library(group)


def _permissions(role: str) -> list[Permission]:
    modules = [module for module in registry.modules() if role in module.admin.roles]
    granted = Permission.objects.filter(content_type__app_label__in=[app_label(module.name) for module in modules])
    withheld = {
        (app_label(module.name), model)
        for module in modules
        for model, roles in module.admin.model_roles.items()
        if role not in roles
    }
    return [
        *(each for each in granted.select_related("content_type") if each.content_type.natural_key() not in withheld),
        *_wagtail_permissions("wagtailadmin", "access_admin"),
    ]


def _wagtail_permissions(label: str, *codenames: str) -> QuerySet[Permission]:
    return Permission.objects.filter(content_type__app_label=label, codename__in=codenames)


def app_label(module_name: str) -> str:
    """Return the application label of a module: its name, except for `auth`, which Django uses."""
    return "tokens" if module_name == "auth" else module_name


def _grant_pages(group: Group) -> None:
    root = Page.get_first_root_node()
    granted = [
        GroupPagePermission(group=group, page=root, permission=permission)
        for permission in _wagtail_permissions("wagtailcore", *_PAGES)
    ]
    GroupPagePermission.objects.bulk_create(granted, ignore_conflicts=True)


def _grant_library(group: Group) -> None:
    root = Collection.get_first_root_node()
    granted = [
        GroupCollectionPermission(group=group, collection=root, permission=permission)
        for label, codenames in _FILES.items()
        for permission in _wagtail_permissions(label, *codenames)
    ]
    GroupCollectionPermission.objects.bulk_create(granted, ignore_conflicts=True)


def create_editor(*, email: str, role: str, password: str) -> AbstractBaseUser:
    """Create a user with access to the admin, or give an existing one the role and the password. Raises Invalid."""
    if role not in ROLES:
        raise Invalid({"role": invalid_choice("role", ROLES)})
    # Takes long on purpose.
    return _create_editor(email.strip().lower(), role, make_password(password))


@transaction.atomic
def _create_editor(email: str, role: str, password: str) -> AbstractBaseUser:
    user, _ = get_user_model().objects.get_or_create(username=email, defaults={"email": email})
    user.is_staff = True
    user.is_superuser = role == ADMIN
    user.password = password
    user.save()
    user.groups.set(Group.objects.filter(name=role))
    return user
