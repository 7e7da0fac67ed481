"""Addresses of documents on the site: Wagtail's view, for numbers that a database can have."""

import pytest
from django.core.files.base import ContentFile
from django.test import Client

from cms_api.media.models import MediaFile

pytestmark = pytest.mark.django_db


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    file = MediaFile.objects.create(title="Programme", file=ContentFile(b"%PDF-1.4 programme", "programme.pdf"))
    assert file.url == f"/documents/{file.pk}/{file.filename}"
    answer = client.get(file.url, follow=True)
    assert (answer.status_code, b"".join(answer.streaming_content)) == (200, b"%PDF-1.4 programme")
    assert client.get(f"/documents/{file.pk}/other.pdf").status_code == 404


@pytest.mark.parametrize("number", ["0", str(2**63), "9" * 4300, "9" * 4301, "9" * 6000])
def test_numbers_that_no_document_has(number: str, client: Client) -> None:
    assert client.get(f"/documents/{number}/programme.pdf").status_code == 404
