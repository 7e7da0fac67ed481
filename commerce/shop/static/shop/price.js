// Shows the price of the variant that is chosen above the form, instead of the lowest price.
"use strict";

const form = document.querySelector(".product__form");
const shown = document.querySelector(".price--large");

function showPrice() {
  const price = document.getElementById(`price-${form.elements.variant.value}`);
  if (price) {
    shown.replaceChildren(price.content.cloneNode(true));
  }
}

form.addEventListener("change", showPrice);
// Browsers restore the choice of a page that is opened again.
addEventListener("pageshow", showPrice);
showPrice();
