import { changed } from "./changed.js";

// Keeps the colour picker and the text beside it the same; no text is no colour.
export class ColorController extends window.StimulusModule.Controller {
  static targets = ["picker", "text"];

  connect() {
    this.mark();
  }

  pick() {
    this.textTarget.value = this.pickerTarget.value;
    this.mark();
    changed(this.textTarget);
  }

  type() {
    if (/^#[0-9a-f]{6}$/i.test(this.textTarget.value)) this.pickerTarget.value = this.textTarget.value;
    this.mark();
  }

  clear() {
    this.textTarget.value = "";
    this.mark();
    changed(this.textTarget);
  }

  mark() {
    this.element.classList.toggle("content-color--empty", !this.textTarget.value);
  }
}
