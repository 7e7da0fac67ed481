"""Searches of Wagtail's own lists, together with their filters and the sorting that their columns offer."""

import pytest
from django.test import Client

from cms_api.media.models import MediaImage
from tests.builders import make_page
from tests.content.test_public_pages import make_image

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_menu")]


@pytest.mark.parametrize("more", ["has_child_pages=false", "ordering=content_type__model", "ordering=-content_type__model"])
@pytest.mark.parametrize("path", ["/admin/pages/", "/admin/pages/{}/", "/admin/pages/{}/results/"])
def test_pages(admin_client: Client, path: str, more: str) -> None:
    parent = make_page(title="Mill street").get_parent()
    assert "Mill street" in admin_client.get(f"{path.format(parent.pk)}?q=mill&{more}").content.decode()


@pytest.mark.both_databases
def test_pages_that_a_filter_leaves_out(admin_client: Client) -> None:
    make_page(title="Mill street")
    assert "Mill street" not in admin_client.get("/admin/pages/?q=mill&has_child_pages=true").content.decode()


def test_images_by_size(admin_client: Client) -> None:
    for number in range(2):
        MediaImage.objects.filter(pk=make_image(title=f"Mill {number}").pk).update(file_size=2 - number)
    found = admin_client.get("/admin/images/?q=mill&ordering=file_size").content.decode()
    assert 0 < found.index("Mill 1") < found.index("Mill 0")
