// Inserts a canned answer where the caret is; without an answer of the server the form is sent, which inserts it at the end.
async function insert(button) {
  const { canned, message } = button.form.elements;
  if (!canned.value) return;
  const url = new URL(button.dataset.deskInsert, window.location.href);
  url.searchParams.set("answer", canned.value);
  try {
    const answer = await fetch(url, { headers: { "X-Requested-With": "XMLHttpRequest" } });
    if (!answer.ok) throw new Error(answer.statusText);
    message.setRangeText(await answer.text(), message.selectionStart, message.selectionEnd, "end");
    message.dispatchEvent(new Event("input", { bubbles: true }));
    message.focus();
  } catch {
    button.dataset.deskPlain = "true";
    button.form.requestSubmit(button);
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-desk-insert]");
  if (!button || button.dataset.deskPlain) return;
  event.preventDefault();
  insert(button);
});

// The admin's content scrolls in a box of its own, which browsers leave at its top when a page is loaded.
document.getElementById(window.location.hash.slice(1))?.scrollIntoView();
