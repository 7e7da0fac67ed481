"""The library's categories in the admin: kept through the service, whose refusals stand at their fields."""

from typing import Any

from django import forms
from django.db import transaction
from django.db.models import Count
from wagtail.actions.create import CreateAction
from wagtail.actions.delete import DeleteAction
from wagtail.actions.edit import EditAction
from wagtail.actions.registry import action_registry
from wagtail.admin.forms.models import WagtailAdminModelForm
from wagtail.admin.panels import FieldPanel, ObjectList
from wagtail.admin.ui.tables import Column
from wagtail.admin.views import generic
from wagtail.admin.viewsets.model import ModelViewSet
from wagtail.log_actions import log

from cms_api.adminkit.admin import RefusingMixin
from cms_api.core.errors import Invalid

from ..models import Category, Media
from ..services.categories import delete_category, save_category


class CategoryForm(WagtailAdminModelForm):
    slug = forms.CharField(
        required=False, help_text="Names the category in addresses and in the API; made from the name where it is empty."
    )

    def _post_clean(self) -> None:
        """The service checks what was sent; the instance is its own to change."""

    def refuse(self, refusal: Invalid) -> None:
        for name, sentences in refusal.errors.items():
            self.add_error(name if name in self.fields else None, sentences)


PANEL = ObjectList([FieldPanel("name"), FieldPanel("slug")], base_form_class=CategoryForm)


def _save(action: Any, category: Category | None, name: str) -> Category:
    sent = action.form.cleaned_data
    saved = save_category(name=sent["name"], slug=sent["slug"], category=category)
    log(instance=saved, action=name, user=action.user)
    action.instance = action.form.instance = saved
    return saved


class CreateCategory(CreateAction):
    def _create(self, skip_permission_checks: bool = False) -> Category:
        return _save(self, None, "wagtail.create")


class EditCategory(EditAction):
    def _edit(self, skip_permission_checks: bool = False) -> Category:
        return _save(self, Category.objects.get(pk=self.instance.pk), "wagtail.edit")


class DeleteCategory(DeleteAction):
    @transaction.atomic
    def _delete(self) -> Any:
        log(instance=self.instance, action="wagtail.delete", user=self.user, deleted=True)
        delete_category(category=self.instance)


for _action in (CreateCategory, EditCategory, DeleteCategory):
    action_registry.register(Category, _action)


class Index(generic.IndexView):
    def get_base_queryset(self) -> Any:
        return Category.objects.annotate(files=Count("media"))


class Create(RefusingMixin, generic.CreateView):
    pass


class Edit(RefusingMixin, generic.EditView):
    pass


class Delete(generic.DeleteView):
    @property
    def confirmation_message(self) -> str:
        count = Media.objects.filter(category=self.object.pk).count()
        files = {0: "Nothing is filed under it.", 1: "One file has no category from then on."}
        said = files.get(count, f"{count} files have no category from then on.")
        return f"Are you sure you want to delete this category? {said}"


class CategoryViewSet(ModelViewSet):
    model = Category
    icon = "folder-open-inverse"
    menu_label = "Media categories"
    add_to_reference_index = False
    copy_view_enabled = False
    search_fields = ["name", "slug"]
    ordering = "name"
    list_display = ["name", "slug", Column("files", label="Files", sort_key="files")]
    index_view_class = Index
    add_view_class = Create
    edit_view_class = Edit
    delete_view_class = Delete
    edit_handler = PANEL

    def get_common_view_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        """Where a category is used, the listings of the library tell, narrowed to it."""
        return super().get_common_view_kwargs(**kwargs) | {"usage_url_name": None}
