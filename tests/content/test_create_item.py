"""POST /content-items."""

import pytest

from tests.builders import blog_post
from tests.client import Api

pytestmark = pytest.mark.django_db


def test_it_works(api: Api) -> None:
    blog_post()
    made = api.post("/content-items", {"type": "blog-post", "data": {"title": "Hello there"}})
    assert made.status_code == 201
    record = made.json()["data"]
    assert (record["status"], record["title"], record["slug"]) == ("draft", "Hello there", "hello-there")
    assert api.data(f"/content-items/{record['id']}") == record


def test_the_type_must_exist(api: Api) -> None:
    refused = api.post("/content-items", {"type": "nothing", "data": {}})
    assert refused.status_code == 422
    assert refused.json()["errors"] == {"type": ["The selected type is invalid."]}
