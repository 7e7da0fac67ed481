"""Rewrites images: upright, at most MAX_WIDTH wide, in sRGB, without metadata, and with smaller variants."""

import io
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import AvifImagePlugin, Image, ImageCms, ImageOps

from cms_api.media.types import AVIF_QUALITY, MAX_MOVING_PIXELS, MAX_PIXELS, MAX_WIDTH, VARIANTS, WEBP_QUALITY

from . import headers
from .refusal import TOO_LARGE, TOO_LONG, UNREADABLE, Refused

FORMATS = {"image/jpeg": "JPEG", "image/png": "PNG", "image/gif": "GIF", "image/webp": "WEBP", "image/avif": "AVIF"}
_ROTATIONS = {90: Image.Transpose.ROTATE_270, 180: Image.Transpose.ROTATE_180, 270: Image.Transpose.ROTATE_90}
#: Taller images get no variants, as WebP could not store them.
_MAX_HEIGHT = 16_000
_ORIENTATION_TAG = 0x0112
_SAVE: dict[str, dict[str, Any]] = {
    "JPEG": {"quality": 88, "optimize": True},
    "PNG": {},
    "GIF": {},
    "WEBP": {"quality": 88, "method": 4},
    "AVIF": {"quality": 75, "speed": 8},
}


def process(*, source: str, mime_type: str, into: str, degrees: int = 0) -> dict[str, Any]:
    """Rewrite an image into a folder, and return the report. Raises Refused."""
    Image.MAX_IMAGE_PIXELS = MAX_PIXELS
    AvifImagePlugin.DEFAULT_MAX_THREADS = 1
    warnings.simplefilter("error", Image.DecompressionBombWarning)
    kind = FORMATS[mime_type]
    blocks = _blocks(kind, source)
    try:
        with Image.open(source, formats=[kind]) as image:
            _check(image.width, image.height, getattr(image, "n_frames", 1) if kind in {"PNG", "AVIF"} else 1)
            if blocks.frames > 1 if blocks else kind != "JPEG" and getattr(image, "is_animated", False):
                return {**_moving(image, kind, source, Path(into), blocks, degrees), "mime_type": mime_type}
            return {**_still(image, kind, Path(into), blocks, degrees), "mime_type": mime_type}
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise Refused(TOO_LARGE) from None
    except (OSError, SyntaxError, ValueError, EOFError, IndexError, KeyError, TypeError, AttributeError, OverflowError):
        raise Refused(UNREADABLE) from None


def _blocks(kind: str, source: str) -> headers.Blocks | None:
    """Return the header of formats whose decoder allocates memory as soon as it opens a file."""
    read = {"GIF": headers.read_gif, "WEBP": headers.read_webp}.get(kind)
    if read is None:
        return None
    blocks = read(Path(source).read_bytes())
    _check(blocks.width, blocks.height, blocks.frames)
    return blocks


def _check(width: int, height: int, frames: int) -> None:
    if width * height > MAX_PIXELS:
        raise Refused(TOO_LARGE)
    if frames > 1 and width * height * frames > MAX_MOVING_PIXELS:
        raise Refused(TOO_LONG)
    if width < 1 or height < 1:
        raise Refused(UNREADABLE)


def _still(image: Image.Image, kind: str, into: Path, blocks: headers.Blocks | None, degrees: int) -> dict[str, Any]:
    orientation = image.getexif().get(_ORIENTATION_TAG, 1)
    sideways = (orientation in {5, 6, 7, 8}) != (degrees in {90, 270})
    width = image.height if sideways else image.width
    if width > MAX_WIDTH and kind == "JPEG":
        # The decoder scales down itself, and never loads the full size.
        share = MAX_WIDTH / width
        image.draft(None, (round(image.width * share), round(image.height * share)))
    lossless = blocks is not None and blocks.lossless
    image.load()
    upright = image if orientation == 1 else ImageOps.exif_transpose(image)
    if degrees:
        upright = _with_info(upright, upright.transpose(_ROTATIONS[degrees]))
    fitting = _fit(upright, MAX_WIDTH)
    drawn = _in_srgb(fitting)
    if fitting is image and kind in {"JPEG", "GIF", "PNG"} and (drawn is image or _is_plain(image)):
        # Saved as it was: a JPEG keeps its quantization tables, the others are lossless anyway.
        final, options = image, {"quality": "keep"} if kind == "JPEG" and image.format == "JPEG" else _SAVE[kind]
    else:
        final, options = drawn, {**_SAVE[kind], **({"lossless": True} if lossless else {})}
    final.info = {key: value for key, value in final.info.items() if key == "transparency"}
    final.save(into / "original", kind, **options)
    return {
        "file": "original",
        "width": final.width,
        "height": final.height,
        "animated": False,
        "variants": _variants(drawn, into),
    }


def _is_plain(image: Image.Image) -> bool:
    """Return whether only the variants need another mode than the image has."""
    return not image.info.get("icc_profile") and (image.mode in {"P", "1", "LA"} or "transparency" in image.info)


def _fit(image: Image.Image, width: int) -> Image.Image:
    """Return the image itself, or a copy scaled down to the width."""
    if image.width <= width:
        return image
    if image.mode in {"P", "1", "I", "F"} or image.mode.startswith("I;"):
        image = _in_srgb(image)
    size = (width, max(1, round(image.height * width / image.width)))
    return _with_info(image, image.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0))


def _with_info(before: Image.Image, after: Image.Image) -> Image.Image:
    after.info = dict(before.info)
    return after


def _in_srgb(image: Image.Image) -> Image.Image:
    """Convert the image to sRGB, in a mode that every format supports; return it unchanged if it is already."""
    mode = image.mode
    if mode.startswith("I;16") or mode == "I":
        # Sixteen bits per pixel.
        return image.point(lambda value: value * (1 / 256) + 0).convert("L")
    if mode == "F":
        return image.convert("L")
    if mode == "1":
        return image.convert("L")
    if mode == "P":
        return image.convert("RGBA" if "transparency" in image.info else "RGB")
    profile = image.info.get("icc_profile")
    if profile and mode in {"RGB", "RGBA", "CMYK"} and (converted := _convert(image, profile)):
        return converted
    if mode in {"L", "RGB", "RGBA"}:
        return _with_alpha(image)
    return image.convert("RGBA" if "A" in mode or "a" in mode else "RGB")


def _with_alpha(image: Image.Image) -> Image.Image:
    """Convert a transparent colour to an alpha channel."""
    return image.convert("RGBA") if "transparency" in image.info and image.mode in {"L", "RGB"} else image


def _convert(image: Image.Image, profile: bytes) -> Image.Image | None:
    """Convert the image to sRGB; None if it is sRGB already or the profile is unusable."""
    try:
        given = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        if image.mode != "CMYK" and "srgb" in ImageCms.getProfileDescription(given).lower():
            return None
        target = "RGB" if image.mode == "CMYK" else image.mode
        return ImageCms.profileToProfile(image, given, ImageCms.createProfile("sRGB"), outputMode=target)
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        return None


def _variants(image: Image.Image, into: Path) -> list[dict[str, Any]]:
    """Save the variants that are narrower than the image; each width is scaled once."""
    made = []
    drawn: Image.Image | None = None
    if image.height > _MAX_HEIGHT:
        return []
    for variant in VARIANTS:
        if variant.width >= image.width:
            continue
        if drawn is None or drawn.width != variant.width:
            drawn = _fit(image, variant.width)
            drawn.info = {}
        quality = {"quality": WEBP_QUALITY, "method": 3} if variant.format == "WEBP" else {"quality": AVIF_QUALITY, "speed": 8}
        drawn.save(into / variant.name, variant.format, **quality)
        made.append({"name": variant.name, "file": variant.name, "width": drawn.width, "height": drawn.height})
    return made


def _moving(
    image: Image.Image, kind: str, source: str, into: Path, blocks: headers.Blocks | None, degrees: int
) -> dict[str, Any]:
    """Save an animation: its blocks copied without metadata, or redrawn if it is too wide or rotated."""
    target = into / "original"
    if blocks and image.width <= MAX_WIDTH and not degrees:
        for _ in _frames(image, 0):
            pass
        data = Path(source).read_bytes()
        copy = headers.copy_gif if kind == "GIF" else headers.copy_webp
        target.write_bytes(copy(data, blocks))
        size = image.size
    else:
        loop = image.info.get("loop", 1 if kind == "GIF" else 0)
        durations: list[float] = []
        frames = _frames(image, degrees, durations)
        first = next(frames)
        size = first.size
        rest = list(frames)
        more = {"disposal": 2} if kind == "GIF" else {}
        first.save(target, kind, save_all=True, append_images=rest, duration=durations, loop=loop, **_SAVE[kind], **more)
    return {"file": "original", "width": size[0], "height": size[1], "animated": True, "variants": []}


def _frames(image: Image.Image, degrees: int, durations: list[float] | None = None) -> Iterator[Image.Image]:
    """Yield every frame, complete and scaled down, and append its duration to `durations`."""
    number = 0
    while True:
        try:
            image.seek(number)
        except EOFError:
            return
        image.load()
        number += 1
        if durations is None:
            yield image
            continue
        frame = image.convert("RGBA")
        if degrees:
            frame = frame.transpose(_ROTATIONS[degrees])
        durations.append(image.info.get("duration", 100))
        frame = _fit(frame, MAX_WIDTH)
        frame.info = {}
        yield frame
