/* Controllers of pages about records. */

/* Ticks the checkboxes of a group whose values have an ending, or all, and clears them. */
class CheckboxGroup extends window.StimulusModule.Controller {
  static targets = ["box"];

  tick({ params: { ending = "" } }) {
    this.set((box) => box.value.endsWith(ending));
  }

  clear() {
    this.set(() => false);
  }

  set(wanted) {
    for (const box of this.boxTargets) {
      if (box.checked !== wanted(box)) {
        box.checked = !box.checked;
        box.dispatchEvent(new Event("change", { bubbles: true }));
      }
    }
  }
}

/* Ticks the checkboxes with some values, clears all others, and fills in other fields of the form. */
class CheckboxPresets extends window.StimulusModule.Controller {
  choose({ params: { values, others } }) {
    const fields = this.element.closest("form").elements;
    for (const [name, value] of Object.entries(others)) {
      fields[name].value = value;
      fields[name].dispatchEvent(new Event("change", { bubbles: true }));
    }
    for (const box of this.element.querySelectorAll("input[type=checkbox]")) {
      const wanted = values.includes(box.value);
      if (box.checked !== wanted) {
        box.checked = wanted;
        box.dispatchEvent(new Event("change", { bubbles: true }));
      }
    }
  }
}

/* Removes the options that are only kept where they are chosen. */
class KeptSelect extends window.StimulusModule.Controller {
  static targets = ["kept"];

  connect() {
    for (const option of this.keptTargets) {
      if (!option.selected) option.remove();
    }
  }
}

/* Empties the revealed texts when the page is left, so that "back" cannot bring them out of the browser's memory. */
class Secret extends window.StimulusModule.Controller {
  static targets = ["text"];

  forget() {
    for (const field of this.textTargets) {
      field.value = "";
      field.defaultValue = "";
    }
  }
}

window.wagtail.app.register("checkbox-group", CheckboxGroup);
window.wagtail.app.register("checkbox-presets", CheckboxPresets);
window.wagtail.app.register("kept-select", KeptSelect);
window.wagtail.app.register("secret", Secret);
