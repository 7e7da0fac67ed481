// A form that is sent twice, as by a double click, is sent once.

document.addEventListener("submit", (event) => {
  if (event.target.method !== "post") return;
  if (event.target.hasAttribute("data-sent")) event.preventDefault();
  event.target.setAttribute("data-sent", "");
});

// The browser's back button may show the page as it was left.
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("[data-sent]")) form.removeAttribute("data-sent");
});
