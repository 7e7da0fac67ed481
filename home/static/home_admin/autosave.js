// Autosaves no page that lacks what even a draft needs, such as a title: the server would refuse it. The next change tries again.
document.addEventListener(
  "w-autosave:save",
  (event) => {
    const needed = [...event.target.querySelectorAll("[data-draft-needs]")];
    if (needed.every((field) => field.value.trim())) return;
    event.preventDefault();
    // The indicator would say that the page is being saved.
    event.stopImmediatePropagation();
  },
  { capture: true },
);
