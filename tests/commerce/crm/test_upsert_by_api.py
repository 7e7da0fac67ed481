"""Contacts over the API: captured, filled in, changed."""

from tests.client import Api


def test_new_and_matched(crm_api: Api) -> None:
    made = crm_api.post("/crm/contacts", {"email": "Dana@Example.com", "first_name": "Dana", "company": "Reyes Ceramics, Inc."})
    assert made.status_code == 201, made.content
    assert made.json()["data"]["email"] == "dana@example.com"
    matched = crm_api.post("/crm/contacts", {"email": "dana@example.COM", "first_name": "Other", "last_name": "Reyes"})
    assert matched.status_code == 200
    assert matched.json()["data"]["name"] == "Dana Reyes"
    assert matched.json()["data"]["company"]["name"] == "Reyes Ceramics, Inc."
