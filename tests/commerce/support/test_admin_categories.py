"""Categories in the admin."""

import pytest
from django.test import Client

from commerce.support.models import Category

from .builders import make_category

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("support")]


def test_it_works(admin_client: Client) -> None:
    sent = {"name": "Orders", "description": "Damaged goods.", "position": "1", "is_public": "on"}
    assert admin_client.post("/admin/support/categories/new/", sent).status_code == 302
    category = Category.objects.get()
    assert (category.name, category.slug, category.is_public) == ("Orders", "orders", True)
    assert admin_client.post(f"/admin/support/categories/edit/{category.pk}/", {**sent, "is_public": ""}).status_code == 302
    category.refresh_from_db()
    assert not category.is_public
    assert "Orders" in admin_client.get("/admin/support/categories/").content.decode()
    assert admin_client.post(f"/admin/support/categories/delete/{category.pk}/").status_code == 302
    assert not Category.objects.exists()


def test_refusals_are_shown(admin_client: Client) -> None:
    category = make_category("Orders")
    page = admin_client.post(f"/admin/support/categories/edit/{category.pk}/", {"name": "", "position": "1"})
    assert "This field is required" in page.content.decode()
