import { changed } from "./changed.js";

// The openings of one day; a day without any is closed.
export class HoursController extends window.StimulusModule.Controller {
  static targets = ["openings", "template", "closed"];

  add() {
    this.openingsTarget.append(this.templateTarget.content.cloneNode(true));
    this.openingsTarget.lastElementChild.querySelector("input").focus();
    this.show();
  }

  remove(event) {
    event.target.closest("[data-content-hours-opening]").remove();
    this.show();
  }

  show() {
    this.closedTarget.hidden = this.openingsTarget.children.length > 0;
    changed(this.element);
  }
}
