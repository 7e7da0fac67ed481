// Tells Wagtail's form (unsaved changes, preview, autosave) that something changed which no person typed.
export function changed(element) {
  element.dispatchEvent(new Event("input", { bubbles: true }));
  element.dispatchEvent(new Event("change", { bubbles: true }));
}
