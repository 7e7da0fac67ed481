"""Files of digital products: stored privately, and deleted once nothing refers to them."""

from collections.abc import Collection, Sequence
from datetime import datetime
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.media.services.private import delete_after_commit, delete_strays

from ..models import Product, ProductFile
from ..models.catalogue import product_files
from ..selectors.downloads import files_on_sale, is_downloadable
from ..types.products import MAX_FILE_BYTES, MAX_FILES

MIB = 1024 * 1024


def check_files(product: Product, sent: Sequence[Any]) -> None:
    """Check a list of ids of the product's files and of new files. Raises Invalid."""
    if len(sent) > MAX_FILES:
        raise Invalid({"files": f"A product may have at most {MAX_FILES} files."})
    known = set(files_on_sale(product).values_list("pk", flat=True)) if product.pk else set()
    for number, each in enumerate(sent):
        if isinstance(each, UploadedFile):
            if refusal := _refusal(each):
                raise Invalid({f"files.{number}": refusal})
        elif each not in known:
            raise Invalid({f"files.{number}": "This file has been removed. Reload the page."})


def _refusal(file: UploadedFile[Any]) -> str:
    if not file.size:
        return "The file is empty. Choose another one."
    if file.size > MAX_FILE_BYTES:
        return f"The file may not be larger than {MAX_FILE_BYTES // MIB} MB."
    return "" if file_name(file) else "The file has no name."


def file_name(file: UploadedFile[Any]) -> str:
    """Return the name of an uploaded file, without folders and unprintable characters."""
    bare = PurePosixPath(PureWindowsPath(file.name or "").name).name
    kept = "".join(character for character in bare if character.isprintable()).strip(". ")
    stem, dot, extension = kept.rpartition(".")
    return stem[: 200 - len(extension) - 1] + dot + extension[:20] if dot else kept[:200]


def save_files(product: Product, sent: Sequence[Any], *, now: datetime) -> None:
    """Keep, add and remove files of a locked product, in the order of the list, which `check_files` has let through."""
    _remove_others(product, {each for each in sent if not isinstance(each, UploadedFile)})
    for position, each in enumerate(sent):
        if isinstance(each, UploadedFile):
            _store(product, each, position, now)
        else:
            product.files.filter(pk=each).exclude(position=position).update(position=position)


def _remove_others(product: Product, kept: Collection[int]) -> None:
    """Take all other files off a product, and delete those that nobody has ordered."""
    others = list(files_on_sale(product).exclude(pk__in=kept))
    ordered = [file.pk for file in others if is_downloadable(product, since=file.created_at)]
    # The time of the lock: an order that was placed before has an earlier one.
    product.files.filter(pk__in=ordered).update(removed_at=timezone.now())
    unsold = [file for file in others if file.pk not in ordered]
    forget_files(unsold)
    product.files.filter(pk__in=[file.pk for file in unsold]).delete()


def _store(product: Product, file: UploadedFile[Any], position: int, now: datetime) -> None:
    row = ProductFile(product=product, filename=file_name(file), size=file.size or 0, position=position, created_at=now)
    row.file.save("", file, save=False)
    try:
        row.save()
    except BaseException:
        row.file.delete(save=False)
        raise


def forget_files(files: Sequence[ProductFile]) -> None:
    """Delete the contents of files whose rows are about to be deleted, once the transaction commits."""
    storage = product_files()
    for file in files:
        delete_after_commit(storage, file.file.name or "")


def clear_stray_files() -> int:
    """Delete files without a row. Return how many there were."""
    return delete_strays(product_files(), lambda names: ProductFile.objects.filter(file__in=names).values_list("file", flat=True))
