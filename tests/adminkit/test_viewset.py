"""Pages that come of what a viewset of the kit declares: a planted viewset of media categories, with URLs of its own."""

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.test import Client
from django.urls import URLPattern, include, path
from wagtail.admin.panels import FieldPanel
from wagtail.admin.ui.tables import Column
from wagtail.permissions import policy_registry

from cms_api.adminkit.columns import RecordColumn
from cms_api.adminkit.transitions import Transition
from cms_api.adminkit.views import AddView
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.media.models import Category, MediaFile
from cms_api.media.services.categories import delete_category, save_category
from config.urls import urlpatterns as site

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__), pytest.mark.usefixtures("without_menu")]

Columns = Iterable[tuple[str, Any]]


def shout(record: Category, user: Any, values: Any) -> bool:
    record.name = f"{record.name.upper()}!"
    record.save()
    return True


def lock(part: MediaFile, user: Any, values: Any) -> None:
    part.title = f"{part.title}, locked"
    part.save()


SHOUT = Transition(
    "shout", "Shout", shout, "{record} it is.", "{record} is loud already.", offered=lambda r: not r.name.isupper()
)
LOCK = Transition("lock_file", "Lock", lock, "“{record}” by {user}.", offered=lambda part: "locked" not in part.title)


class PlantedViewSet(RecordViewSet):
    model = Category
    menu_label = "Planted records"
    name = "planted"
    pages = ("add", "copy", "edit", "delete")
    list_display = (RecordColumn("name", label="Name"), Column("slug"))
    panels = (FieldPanel("name"), FieldPanel("slug"))
    ordering = ("name",)
    csv = {"Name": "name"}
    transitions: Sequence[Transition] = (SHOUT,)

    def records(self) -> QuerySet[Category]:
        return Category.objects.exclude(name="Hidden")

    def create(self, values: dict[str, Any], user: Any) -> Category:
        return save_category(**values, user=user)

    def update(self, record: Category, values: dict[str, Any], user: Any) -> Category:
        return save_category(**values, category=record, user=user)

    def delete(self, record: Category, user: Any) -> None:
        delete_category(category=record, user=user)

    def may_delete(self, record: Category) -> bool:
        return record.name != "Fixed"

    def copy_record(self, record: Category) -> Category:
        return Category(name=f"{record.name} (copy)")

    def csv_columns(self, request: HttpRequest) -> Columns:
        twice = [("Twice", lambda category: category.name * 2)] if "twice" in request.GET else []
        return [*super().csv_columns(request), *twice]

    def csv_name(self, request: HttpRequest) -> str:
        return request.GET.get("file") or super().csv_name(request)

    def get_extra_urlpatterns(self) -> list[URLPattern]:
        parts = {"parts": MediaFile.objects.all, "home": lambda part: f"/planted/#{part.pk}"}
        return [self.part_pattern("files/<int:pk>/lock/", LOCK, **parts, policy=policy_registry.get_by_type(MediaFile))]


PLANTED = PlantedViewSet()
urlpatterns = [path("planted/", include((PLANTED.get_urlpatterns(), "planted"))), *site]


def said(answer: Any) -> list[str]:
    return [str(message).strip() for message in get_messages(answer.wsgi_request)]


def text(answer: Any) -> str:
    return b"".join(answer.streaming_content).decode()


def test_a_copy_begins_with_what_the_viewset_says(admin_client: Client) -> None:
    record = save_category(name="Boats")
    page = admin_client.get(f"/planted/copy/{record.pk}/")
    assert page.context["form"].initial["name"] == "Boats (copy)"
    assert admin_client.post(f"/planted/copy/{record.pk}/", {"name": "Ships", "slug": "ships"}).status_code == 302
    assert set(Category.objects.values_list("name", flat=True)) == {"Boats", "Ships"}
    hidden = save_category(name="Hidden")
    assert admin_client.get(f"/planted/copy/{hidden.pk}/").status_code == 404


def test_the_file_has_the_columns_and_the_name_of_its_list(admin_client: Client) -> None:
    for name in ("Boats", "=1+1", "Hidden"):
        save_category(name=name, slug=name.strip("=").replace("+", "-").lower())
    plain = admin_client.get("/planted/?export=csv")
    assert 'filename="planted-records.csv"' in plain.headers["Content-Disposition"]
    assert text(plain).splitlines() == ["Name", "'=1+1", "Boats"]
    other = admin_client.get("/planted/?export=csv&twice=1&file=twice")
    assert 'filename="twice.csv"' in other.headers["Content-Disposition"]
    assert text(other).splitlines() == ["Name,Twice", "'=1+1,'=1+1=1+1", "Boats,BoatsBoats"]


def test_no_page_offers_to_delete_what_cannot_be_deleted(admin_client: Client) -> None:
    fixed, free = save_category(name="Fixed"), save_category(name="Free")
    listing = admin_client.get("/planted/").content.decode()
    for record, times in ((fixed, 0), (free, 1)):
        url = f"/planted/delete/{record.pk}/"
        assert listing.count(url) == times
        assert admin_client.get(f"/planted/edit/{record.pk}/").content.decode().count(url) == times


def test_a_transition_is_refused_where_it_is_not_offered(admin_client: Client) -> None:
    record = save_category(name="Boats")
    for sentence in ("BOATS! it is.", "BOATS! is loud already."):
        answer = admin_client.post(f"/planted/shout/{record.pk}/")
        assert answer.url == f"/planted/edit/{record.pk}/"
        assert said(answer)[-1] == sentence
        record.refresh_from_db()
        assert record.name == "BOATS!"


def test_a_part_of_a_record_has_transitions(admin_client: Client) -> None:
    part = MediaFile.objects.create(title="Prices", file="media/2026/03/prices.pdf")
    url = f"/planted/files/{part.pk}/lock/"
    answer = admin_client.post(url)
    assert answer.url == f"/planted/#{part.pk}"
    assert said(answer)[0].startswith("“Prices, locked” by ")
    assert said(admin_client.post(url))[-1] == LOCK.unchanged
    part.refresh_from_db()
    assert part.title == "Prices, locked"
    assert admin_client.post("/planted/files/0/lock/").status_code == 404


def test_a_part_is_for_those_who_may_change_it(sign_in: Any, django_user_model: Any) -> None:
    part = MediaFile.objects.create(title="Prices", file="media/2026/03/prices.pdf")
    client = sign_in(django_user_model.objects.create_user("nobody"))
    assert client.post(f"/planted/files/{part.pk}/lock/").status_code in (302, 403)
    part.refresh_from_db()
    assert part.title == "Prices"


class HalfViewSet(RecordViewSet):
    model = Category
    pages = ("add", "copy", "edit", "delete", "history", "usage", "edti")


class OwnAddView(AddView):
    calls = ()


def test_what_a_viewset_lacks_is_found() -> None:
    assert list(PLANTED.missing()) == []
    assert list(HalfViewSet().missing()) == ["create", "copy_record", "create", "update", "delete", "edti"]
    assert list(HalfViewSet(pages=("inspect", "history")).missing()) == []
    assert list(HalfViewSet(pages=("add",), add_view_class=OwnAddView).missing()) == []
