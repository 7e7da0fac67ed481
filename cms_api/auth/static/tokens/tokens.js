/* Controllers of the API token pages. */

/* Ticks the abilities of a group: "all", "read" or "none". */
class TokenAbilities extends window.StimulusModule.Controller {
  static targets = ["ability"];

  choose({ params: { wanted } }) {
    for (const box of this.abilityTargets) {
      const ticked = wanted === "all" || (wanted === "read" && box.dataset.reads === "true");
      if (box.checked !== ticked) {
        box.checked = ticked;
        box.dispatchEvent(new Event("change", { bubbles: true }));
      }
    }
  }
}

/* Empties the revealed texts when the page is left, so that "back" cannot bring them out of the browser's memory. */
class TokenReveal extends window.StimulusModule.Controller {
  static targets = ["secret"];

  forget() {
    for (const field of this.secretTargets) {
      field.value = "";
      field.defaultValue = "";
    }
  }
}

window.wagtail.app.register("token-abilities", TokenAbilities);
window.wagtail.app.register("token-reveal", TokenReveal);
