"""The form of the theme."""

from typing import Any

from django import forms
from wagtail.admin.forms.models import WagtailAdminModelForm
from wagtail.admin.panels import FieldPanel, FieldRowPanel, MultiFieldPanel, ObjectList
from wagtail.contrib.settings.registry import register_setting

from cms_api.adminkit.panels import Tabs
from cms_api.content.admin.inputs.plain import ColorWidget
from cms_api.flags.selectors import get_setting
from cms_api.flags.services import set_setting

from ..models import Theme


class ThemeForm(WagtailAdminModelForm):
    """The theme's form, with the site's name, which is a setting elsewhere but expected here."""

    site_name = forms.CharField(label="Site name", max_length=100, help_text="In the header, in titles and in feeds.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["site_name"].initial = get_setting("site.name")

    class Media:
        js = ["home_admin/theme.js"]

    def save(self, commit: bool = True) -> Any:
        if not commit:
            # The preview, which stores nothing.
            self.instance.previewed_name = self.cleaned_data["site_name"]
        elif "site_name" in self.changed_data:
            set_setting(key="site.name", value=self.cleaned_data["site_name"])
        return super().save(commit)


Theme.edit_handler = Tabs(
    [
        ObjectList(
            [
                FieldPanel("site_name"),
                FieldPanel("tagline"),
                MultiFieldPanel([FieldPanel("logo"), FieldPanel("logo_alt"), FieldPanel("show_name")], heading="Logo"),
                FieldRowPanel(
                    [FieldPanel("accent", widget=ColorWidget), FieldPanel("secondary", widget=ColorWidget)], heading="Colours"
                ),
                FieldPanel("fonts", widget=forms.RadioSelect),
                FieldPanel("favicon"),
            ],
            heading="Name and style",
        ),
        ObjectList([FieldPanel("header_menu"), FieldPanel("footer_menu")], heading="Menus"),
        ObjectList([FieldPanel("footer_text"), FieldPanel("profiles")], heading="Footer"),
    ],
    base_form_class=ThemeForm,
)
register_setting(Theme, icon="view", name="theme")
