const PAUSE = 300;
const PARTS = ["summary", "dates"];

// Keeps what is said below a date's inputs in step with them. The answer is the server's: the one that reads them on save.
class PreviewController extends window.StimulusModule.Controller {
  static targets = ["summary", "dates", "failure"];

  static values = { url: String, name: String, type: String, item: String };

  connect() {
    this.inputs = this.element.parentElement;
    this.form = this.element.closest("form");
    this.later = () => {
      window.clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.ask(), PAUSE);
    };
    this.inputs.addEventListener("input", this.later);
    this.inputs.addEventListener("change", this.later);
    // A browser that comes back to the page may have put other values in.
    if (this.frequency() || this.itemValue) this.later();
  }

  disconnect() {
    this.inputs.removeEventListener("input", this.later);
    this.inputs.removeEventListener("change", this.later);
    window.clearTimeout(this.timer);
    this.running?.abort();
  }

  async ask() {
    this.running?.abort();
    const running = new AbortController();
    this.running = running;
    this.element.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(this.urlValue, {
        method: "POST",
        body: this.sent(),
        signal: running.signal,
        headers: { "X-Requested-With": "XMLHttpRequest", "X-CSRFToken": this.form.elements.csrfmiddlewaretoken.value },
      });
      if (!answer.ok) throw new Error(`The preview answered ${answer.status}.`);
      this.show(await answer.text());
      this.failureTarget.hidden = true;
    } catch (error) {
      if (error.name === "AbortError") return;
      this.failureTarget.hidden = false;
    }
    if (this.running === running) this.element.removeAttribute("aria-busy");
  }

  frequency() {
    return this.inputs.querySelector(`[name="${this.nameValue}-frequency"]`).value;
  }

  sent() {
    const data = new URLSearchParams({ name: this.nameValue, type: this.typeValue, item: this.itemValue });
    new FormData(this.form).forEach((value, name) => {
      if (name.startsWith(`${this.nameValue}-`)) data.append(name, value);
    });
    return data;
  }

  // What is the same stays, so that nothing is read aloud twice. While a value is half typed there are no dates; their room
  // is kept, so that the page does not jump.
  show(html) {
    const found = new DOMParser().parseFromString(html, "text/html");
    const isHalfTyped = this.frequency() && !found.querySelector("li, .events-preview__rule");
    const height = this.datesTarget.offsetHeight;
    this.datesTarget.style.minHeight = isHalfTyped ? `${height}px` : "";
    PARTS.forEach((part) => {
      const [here, there] = [this[`${part}Target`], found.querySelector(`[data-events-preview-target="${part}"]`)];
      if (there && here.innerHTML !== there.innerHTML) here.replaceChildren(...there.childNodes);
    });
  }
}

window.wagtail.app.register("events-preview", PreviewController);
