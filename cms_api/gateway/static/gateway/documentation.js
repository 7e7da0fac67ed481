/* The API documentation's filter: shows the operations that have all the words, and their links in the contents. */
class ApiFilter extends window.StimulusModule.Controller {
  static targets = ["box", "words", "count", "contents", "operation", "link", "entry", "group", "rest", "none"];

  connect() {
    this.boxTarget.hidden = false;
    this.contentsTarget.open = window.matchMedia("(min-width: 60em)").matches;
    this.apply();
  }

  apply() {
    const words = this.wordsTarget.value.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = new Set();
    for (const operation of this.operationTargets) {
      const text = operation.dataset.words.toLowerCase();
      operation.hidden = !words.every((word) => text.includes(word));
      if (!operation.hidden) shown.add(operation.id);
    }
    for (const link of this.linkTargets) link.hidden = !shown.has(link.dataset.anchor);
    for (const entry of this.entryTargets) entry.hidden = !entry.querySelector("li:not([hidden])");
    for (const group of this.groupTargets) group.hidden = !group.querySelector("article:not([hidden])");
    for (const rest of this.restTargets) rest.hidden = words.length > 0;
    this.noneTarget.hidden = shown.size > 0;
    const total = this.operationTargets.length;
    this.countTarget.textContent = words.length ? `${shown.size} of ${total} operations` : `${total} operations`;
  }
}

window.wagtail.app.register("api-filter", ApiFilter);
