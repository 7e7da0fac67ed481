// Shows the numbers that cookies hold beside links of the header, such as the items in a cart.
"use strict";

for (const place of document.querySelectorAll("[data-count]")) {
  const cookie = document.cookie.split("; ").find((each) => each.startsWith(`${place.dataset.count}=`));
  const count = Number.parseInt(cookie?.split("=")[1] ?? "", 10);
  if (count > 0) {
    place.textContent = count > 99 ? "99+" : String(count);
    place.hidden = false;
  }
}
