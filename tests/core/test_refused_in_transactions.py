"""Work that takes long is refused while a transaction holds locks, and no test does it there."""

from datetime import UTC, datetime

import pytest
from django.db import transaction

from cms_api.core.locks import refuse_in_transaction
from commerce.common.services.documents import attach, make_document, typeset
from tests.commerce.common.test_documents import PARTS

pytestmark = pytest.mark.django_db

AT = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.both_databases
def test_it_works() -> None:
    refuse_in_transaction("Typesetting")
    with transaction.atomic(), pytest.raises(RuntimeError, match=r"Typesetting takes long"):
        refuse_in_transaction("Typesetting")


def test_a_document_is_made_in_a_transaction_and_typeset_after_it() -> None:
    data = {"title": "Packing slip", "number": "ORD-1", **PARTS}
    with transaction.atomic():
        document = make_document("packing_slip", data, at=AT)
        attachment = attach("1", document)
        with pytest.raises(RuntimeError, match="takes long"):
            typeset(document)
    assert (attachment.name, attachment.content) == ("1.pdf", b"")
    assert typeset(document).content.startswith(b"%PDF-")


@pytest.mark.django_db(transaction=True)
def test_it_does_not_matter_where_no_test_is_around_it() -> None:
    refuse_in_transaction("Typesetting")
    with transaction.atomic(), pytest.raises(RuntimeError):
        refuse_in_transaction("Typesetting")
