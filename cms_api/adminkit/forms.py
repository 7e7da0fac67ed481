"""The forms of records."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from wagtail.admin.forms.models import WagtailAdminModelForm

from cms_api.core.errors import Invalid


class RecordForm(WagtailAdminModelForm):
    """A record as people write it: its fields read what was typed, and its service says what is wrong with it.

    The instance is the service's to change, so the form writes nothing into it.
    """

    #: Where a refusal of the service is shown, if not at the field of the same name: path of the refusal to field.
    refused_at: ClassVar[Mapping[str, str]] = {}

    #: Fields that only a new record has.
    only_new: ClassVar[Sequence[str]] = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            for name in self.only_new:
                self.fields.pop(name, None)

    def values(self) -> dict[str, Any]:
        """What the service is given; may raise Invalid."""
        return dict(self.cleaned_data)

    def refuse(self, refusal: Invalid) -> None:
        """Show a service's refusal at its fields, and above the form where it has none of these."""
        for path, sentences in refusal.errors.items():
            key = path.partition(".")[0]
            name = self.refused_at.get(key, key)
            self.add_error(name if name in self.fields else None, sentences)

    def _post_clean(self) -> None:
        """The service checks what was sent."""

    class Meta(WagtailAdminModelForm.Meta):
        fields: Sequence[str] = []
