"""What the admin pages of several modules do alike."""

from typing import Any

from django.db import transaction
from django.http import HttpResponse

from .errors import Invalid


class RefusingMixin:
    """Shows a service's refusal in the form, whose `refuse` puts the sentences where they belong."""

    def form_valid(self, form: Any) -> HttpResponse:
        try:
            with transaction.atomic():
                return super().form_valid(form)  # type: ignore[misc, no-any-return]
        except Invalid as refusal:
            form.refuse(refusal)
            self.produced_error_message = self.get_error_message()  # type: ignore[attr-defined]
            return self.form_invalid(form)  # type: ignore[attr-defined, no-any-return]
