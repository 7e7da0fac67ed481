"""Pictures of products: where they are used, and what remains when one is deleted."""

import pytest
from django.test import Client

from cms_api.media.services.library import delete_media, references
from commerce.shop.models import Product
from commerce.shop.services import save_product
from tests.builders import make_image

from .builders import make_product

pytestmark = pytest.mark.django_db


@pytest.mark.both_databases
def test_it_works() -> None:
    image, other = make_image("a.png"), make_image("b.png")
    html = f'<p>Look</p><p><img src="{image.file.url}" alt=""></p><p><img src="{other.file.url}" alt=""></p>'
    product = make_product("Mug", pictures=[image.pk, other.pk], description=html)
    make_product("Bowl")
    assert [(each.label, each.use) for each in references(media=image)] == [("Mug", "Picture"), ("Mug", "Description")]
    page = Client().get("/shop/products/mug").content
    delete_media(media=image)
    product.refresh_from_db()
    assert [picture.media_id for picture in product.pictures.all()] == [other.pk]
    assert image.file.name not in product.description
    assert other.file.url in product.description
    assert Client().get("/shop/products/mug").content != page
    assert references(media=image) == []


@pytest.mark.both_databases
def test_pictures_keep_their_order() -> None:
    images = [make_image(f"{number}.png").pk for number in range(3)]
    product = make_product(pictures=images)
    for order in (images[::-1], [images[1]], [images[1], images[0], images[1]]):
        save_product(product=product, values={"pictures": order})
        assert [each.media_id for each in Product.objects.get().pictures.all()] == list(dict.fromkeys(order))
