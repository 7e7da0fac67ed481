"""The upload in the image chooser: where several images may be chosen, it takes several files."""

from pathlib import PurePath
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.datastructures import MultiValueDict
from wagtail.images import get_image_model
from wagtail.images.views import chooser

PREFIX = "image-chooser-upload"


class TakesSeveral:
    """A view with the upload form, whose file input takes several files if several images may be chosen."""

    request: HttpRequest

    def get_creation_form(self) -> Any:
        form: Any = super().get_creation_form()  # type: ignore[misc]
        return self.taking_several(form) if form else None

    def taking_several(self, form: Any) -> Any:
        if self.request.GET.get("multiple"):
            field = form.fields["file"]
            field.widget.attrs["multiple"] = True
            field.help_text = f"{field.help_text} If you choose several files, each image is named after its file."
        return form


class ChooseView(TakesSeveral, chooser.ImageChooseView):
    pass


class ChooseResultsView(TakesSeveral, chooser.ImageChooseResultsView):
    pass


class UploadView(TakesSeveral, chooser.ImageUploadView):
    """Uploads one file as Wagtail does; of several files, all or none."""

    def post(self, request: HttpRequest) -> HttpResponse:
        files = request.FILES.getlist(f"{PREFIX}-file")
        if len(files) < 2 or not request.GET.get("multiple"):
            return super().post(request)
        self.model = get_image_model()
        forms = [self._form_of(file) for file in files]
        for form, file in zip(forms, files, strict=True):
            if not form.is_valid():
                form.add_error(None, f"No images were uploaded, because “{file.name}” was refused.")
                self.form = form
                return self.get_reshow_creation_form_response()
        with transaction.atomic():
            images = [self.save_form(form) for form in forms]
        return self.get_multiple_chosen_response(images)

    def _form_of(self, file: Any) -> Any:
        data = self.request.POST.copy()
        data[f"{PREFIX}-title"] = PurePath(file.name).stem
        sent = {"data": data, "files": MultiValueDict({f"{PREFIX}-file": [file]})}
        return self.taking_several(self.get_creation_form_class()(**self.get_creation_form_kwargs() | sent))


# Wagtail builds its URLs from these when it registers the viewset, which is later.
chooser.viewset.choose_view_class = ChooseView
chooser.viewset.choose_results_view_class = ChooseResultsView
chooser.viewset.create_view_class = UploadView
