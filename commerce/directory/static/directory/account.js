// Copies the hours of Monday to other days.

for (const part of document.querySelectorAll("[data-hours]")) {
  const days = part.querySelectorAll(".listing-hours input");
  const copy = part.querySelector("[data-copy]");
  copy.hidden = false;
  copy.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    for (const input of [...days].slice(1, Number(button.dataset.days))) input.value = days[0].value;
    copy.querySelector("[data-copied]").textContent = "Copied.";
  });
}
