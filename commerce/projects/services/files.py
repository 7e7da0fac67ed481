"""Files of projects: how they are stored until somebody deletes them."""

from collections.abc import Iterable
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid
from cms_api.core.not_found import NotFound
from cms_api.media.services.private import delete_after_commit, delete_strays, upload_name

from ..models import Project, ProjectFile, private_files
from ..types import MAX_FILE_BYTES, MIB
from .locking import lock_project, touch


def add_file(*, project: Project, file: UploadedFile[Any], is_public: bool = False, user: Any = None) -> ProjectFile:
    """Attach a file to a project; if it is public, the client can download it. Raises Invalid (`file`) and NotFound."""
    name = upload_name(file.name or "")
    if not name:
        raise Invalid({"file": "The file has no name. Rename it first."})
    if not file.size:
        raise Invalid({"file": "The file is empty. Choose another one."})
    if file.size > MAX_FILE_BYTES:
        raise Invalid({"file": f"The file may not be larger than {MAX_FILE_BYTES // MIB} MB."})
    added = ProjectFile(project=project, filename=name, size=file.size, is_public=is_public, author=user)
    # Stored before the project is locked, because the storage may be on another host.
    added.file.save("", file, save=False)
    try:
        _attach(added, user)
    except BaseException:
        added.file.delete(save=False)
        raise
    return added


@transaction.atomic
def _attach(file: ProjectFile, user: Any) -> None:
    locked = lock_project(file.project_id)
    file.created_at = timezone.now()
    file.save()
    touch(locked)
    log(instance=locked, action="projects.add_file", user=user, data={"name": file.filename})


@transaction.atomic
def delete_file(*, file: ProjectFile, user: Any = None) -> None:
    """Delete a file of a project. Raises NotFound."""
    locked = lock_project(file.project_id)
    if not ProjectFile.objects.filter(pk=file.pk).delete()[0]:
        raise NotFound
    delete_after_commit(private_files(), str(file.file.name))
    touch(locked)
    log(instance=locked, action="projects.delete_file", user=user, data={"name": file.filename})


def clear_stray_files() -> int:
    """Delete stored files without a row. Return how many there were."""

    def find_referenced(names: list[str]) -> Iterable[str]:
        return ProjectFile.objects.filter(file__in=names).values_list("file", flat=True)

    return delete_strays(private_files(), find_referenced)
