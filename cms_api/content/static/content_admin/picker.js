import { changed } from "./changed.js";

const HANDLERS = {
  image: "IMAGE_CHOOSER_MODAL_ONLOAD_HANDLERS",
  document: "DOCUMENT_CHOOSER_MODAL_ONLOAD_HANDLERS",
  item: "CHOOSER_MODAL_ONLOAD_HANDLERS",
};

// The ids that are ticked in the open chooser, in the order of ticking: its answer has them in an order of its own.
let ticked = [];
document.addEventListener("change", ({ target }) => {
  if (target.type !== "checkbox" || !target.closest(".modal")) return;
  ticked = ticked.filter((id) => id !== target.value);
  if (target.checked) ticked.push(target.value);
});

function inOrder(found) {
  const place = ({ id }) => (ticked.includes(String(id)) ? ticked.indexOf(String(id)) : ticked.length);
  return [...found].sort((one, other) => place(one) - place(other));
}

// Opens one of Wagtail's choosers; `done` gets what was chosen, always as a list, in the order of choosing.
export function openChooser(kind, url, multiple, done) {
  ticked = [];
  window.ModalWorkflow({
    url,
    urlParams: multiple ? { multiple: 1 } : {},
    onload: window[HANDLERS[kind]],
    responses: { chosen: (found) => done(Array.isArray(found) ? inOrder(found) : [found]) },
  });
}

// A list of pictures, files or items, each a hidden input; in order, where there may be several.
export class PickerController extends window.StimulusModule.Controller {
  static targets = ["entries", "template", "label"];
  static values = { kind: String, url: String, prefix: String, multiple: Boolean };

  choose() {
    openChooser(this.kindValue, this.urlValue, this.multipleValue, (found) => {
      if (!this.multipleValue) this.entriesTarget.replaceChildren();
      found.forEach((chosen) => this.add(chosen));
      this.tell();
    });
  }

  add(chosen) {
    const value = this.prefixValue + chosen.id;
    if ([...this.entriesTarget.querySelectorAll('[data-part="value"]')].some((input) => input.value === value)) return;
    const entry = this.templateTarget.content.firstElementChild.cloneNode(true);
    const part = (name) => entry.querySelector(`[data-part="${name}"]`);
    part("value").value = value;
    part("title").textContent = chosen.title || chosen.string;
    if (part("preview") && chosen.preview) part("preview").src = chosen.preview.url;
    part("edit").hidden = !chosen.edit_url;
    part("edit").href = chosen.edit_url || "";
    this.entriesTarget.append(entry);
  }

  remove(event) {
    this.entry(event).remove();
    this.tell();
  }

  earlier(event) {
    const entry = this.entry(event);
    entry.previousElementSibling?.before(entry);
    event.currentTarget.focus();
    this.tell();
  }

  later(event) {
    const entry = this.entry(event);
    entry.nextElementSibling?.after(entry);
    event.currentTarget.focus();
    this.tell();
  }

  lift(event) {
    this.lifted = this.entry(event);
    event.dataTransfer.effectAllowed = "move";
    this.lifted.classList.add("content-picked--lifted");
  }

  over(event) {
    const target = this.entry(event);
    if (!this.lifted || target === this.lifted) return;
    event.preventDefault();
    const after = this.lifted.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_FOLLOWING;
    target[after ? "after" : "before"](this.lifted);
  }

  drop() {
    this.lifted?.classList.remove("content-picked--lifted");
    this.lifted = null;
    this.tell();
  }

  entry(event) {
    return event.target.closest("[data-content-picker-entry]");
  }

  tell() {
    const { first, other } = this.labelTarget.dataset;
    this.labelTarget.textContent = this.entriesTarget.children.length ? other : first;
    changed(this.element);
  }
}
