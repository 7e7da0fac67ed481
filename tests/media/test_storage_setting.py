"""Valid values of MEDIA_STORAGE_URL, and the errors of invalid ones."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.settings.environment import storage


def options(url: str) -> dict[str, str]:
    return storage(url)["OPTIONS"]


def test_it_works() -> None:
    given = options(
        "s3://site-media?endpoint=https://storage.example.com/&region=eu-west-3&access_key=AKID&secret_key=s%2Fec&prefix=/site/"
    )
    assert given == {
        "bucket": "site-media",
        "endpoint": "https://storage.example.com",
        "region": "eu-west-3",
        "access_key": "AKID",
        "secret_key": "s/ec",
        "prefix": "site",
    }


def test_without_one_files_are_on_the_disk() -> None:
    assert storage("") == {"BACKEND": "cms_api.media.services.storage.LocalStorage"}


def test_a_bucket_is_enough() -> None:
    assert options("s3://site-media") == options("s3://site-media/") == {"bucket": "site-media"}


def test_a_plus_in_a_secret_is_a_plus() -> None:
    assert options("s3://media?access_key=A&secret_key=a+b/c%2Bd")["secret_key"] == "a+b/c+d"


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("https://storage.example.com", "must begin with s3://"),
        ("/var/media", "must begin with s3://"),
        ("s3:media", "must name a bucket"),
        ("s3://", "must name a bucket"),
        ("s3://?region=x", "must name a bucket"),
        ("s3://UPPER", "must name a bucket"),
        ("s3://a", "must name a bucket"),
        ("s3://media:9000", "must name a bucket"),
        ("s3://AKID:hidden@media", "not before an @"),
        ("s3://media/folder", "takes a folder as prefix="),
        ("s3://media?region=x#hidden", "nothing after a #"),
        ("s3://[media", "no address"),
        ("s3://media?secret=hidden", "no option 'secret'; it has endpoint,"),
        ("s3://media?bucket=hidden", "no option 'bucket'"),
        ("s3://media?region=a&region=b", "an option twice"),
        ("s3://media?endpoint=storage.example.com", "endpoint must be like https://storage.example.com"),
        ("s3://media?endpoint=", "endpoint must be like"),
        ("s3://media?public_endpoint=ftp://x", "public_endpoint must be like"),
        ("s3://media?access_key=hidden", "both access_key and secret_key, or neither"),
        ("s3://media?secret_key=hidden", "both access_key and secret_key, or neither"),
    ],
)
def test_a_mistake_is_named_without_its_value(url: str, message: str) -> None:
    with pytest.raises(ImproperlyConfigured) as problem:
        storage(url)
    assert "MEDIA_STORAGE_URL" in str(problem.value)
    assert message in str(problem.value)
    assert "hidden" not in str(problem.value)
