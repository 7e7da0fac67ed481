/* "Try it": a form for each operation, built when it is opened, that sends a request to this host and shows the response.

The token stays in its field: it is not stored, and requests have no cookies. */
const root = document.querySelector(".api-docs");
const token = root.querySelector("#api-token");
const SHOWN_HEADERS = [
  "X-RateLimit-Limit", "X-RateLimit-Remaining", "Retry-After", "ETag", "Location", "Idempotency-Replayed", "X-Request-Id",
];
/* Browsers take seconds to lay out longer texts. */
const LONGEST = 200_000;
const FAMILY = ".<name>";
let forms = 0;
/* The button that led to the token's field, to which Enter leads back. */
let asker = null;

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children.filter((child) => child !== null));
  return made;
}

function input(field) {
  if (field.options) {
    const options = ["", ...field.options].map((value) => element("option", { value, textContent: value || "–" }));
    return element("select", { className: "api-input" }, ...options);
  }
  if (field.file) return element("input", { type: "file", className: "api-input" });
  const placeholder = field.name.endsWith(FAMILY) ? "name=value" : field.example ?? "";
  const value = field.place === "body" ? field.example ?? "" : "";
  return element("input", { type: "text", className: "api-input", autocomplete: "off", spellcheck: false, placeholder, value });
}

function labelled(field, control, id) {
  control.id = id;
  control.required = Boolean(field.required);
  const label = element("label", { htmlFor: id, className: "api-try__label" }, element("code", { textContent: field.name }));
  if (field.required) label.append(" (required)");
  return element("div", { className: "api-try__field" }, label, control);
}

class TryIt {
  constructor(details) {
    this.request = JSON.parse(details.querySelector("script").textContent);
    this.id = `api-try-${(forms += 1)}`;
    this.controls = this.request.fields.map((field) => [field, input(field)]);
    this.send = element("button", { type: "submit", className: "api-button", textContent: `Send ${this.request.method} request` });
    this.status = element("p", { className: "api-try__status" });
    this.status.setAttribute("role", "status");
    this.answer = element("div", { className: "api-try__answer" });
    this.form = element("form", { className: "api-try__form", autocomplete: "off" }, ...this.parts());
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    details.append(this.form);
  }

  *parts() {
    if ("apiOff" in root.dataset) yield note("The API is switched off: the response will be a 404.");
    if (this.request.method !== "GET") yield note("This changes the data of this site.");
    if (this.request.token) yield this.tokenNote();
    const rows = this.controls.map(([field, control], at) => [field, labelled(field, control, `${this.id}-${at}`)]);
    const isNeeded = (field) => field.required || field.place === "path" || field.place === "body";
    yield* rows.filter(([field]) => isNeeded(field)).map(([, row]) => row);
    const optional = rows.filter(([field]) => !isNeeded(field)).map(([, row]) => row);
    if (optional.length) {
      yield element("details", {}, element("summary", { textContent: `Optional parameters (${optional.length})` }), ...optional);
    }
    if ("body" in this.request) yield this.bodyField();
    yield this.send;
    yield this.status;
    yield this.answer;
  }

  tokenNote() {
    const button = element("button", { type: "button", className: "api-link", textContent: "Enter a token" });
    button.addEventListener("click", () => {
      asker = this.send;
      token.focus();
      token.scrollIntoView({ block: "center", behavior: "instant" });
    });
    const line = element("p", { className: "api-try__token" }, "Needs a token. ", button);
    const update = () => { line.hidden = token.value.trim() !== ""; };
    token.addEventListener("input", update);
    update();
    return line;
  }

  bodyField() {
    const value = JSON.stringify(this.request.body, null, 2);
    const rows = Math.min(20, value.split("\n").length + 1);
    this.body = element("textarea", { id: `${this.id}-body`, className: "api-input api-input--code", spellcheck: false, rows, value });
    const label = element("label", { htmlFor: this.body.id, className: "api-try__label", textContent: "Body (JSON)" });
    return element("div", { className: "api-try__field" }, label, this.body);
  }

  /* The address on this host, the headers and the body. */
  read() {
    let path = this.request.path;
    const query = new URLSearchParams();
    const headers = new Headers();
    const parts = new FormData();
    for (const [field, control] of this.controls) {
      const value = control.value.trim();
      if (value === "") continue;
      if (field.place === "path") path = path.replace(`{${field.name}}`, encodeURIComponent(value));
      else if (field.place === "header") headers.set(field.name, value);
      else if (field.place === "body") parts.append(field.name, field.file ? control.files[0] : control.value);
      else if (field.name.endsWith(FAMILY)) {
        const [name, ...rest] = value.split("=");
        query.append(`${field.name.slice(0, -FAMILY.length)}.${name}`, rest.join("="));
      } else query.append(field.name, value);
    }
    if (this.request.token && token.value.trim()) headers.set("Authorization", `Bearer ${token.value.trim()}`);
    if (this.body) headers.set("Content-Type", "application/json");
    const body = this.body ? this.body.value : this.request.multipart ? parts : undefined;
    return [query.size ? `${path}?${query}` : path, { method: this.request.method, headers, body }];
  }

  async submit() {
    if (this.isSending) return;
    this.isSending = true;
    this.send.setAttribute("aria-disabled", "true");
    this.answer.replaceChildren();
    this.status.textContent = "Sending…";
    try {
      const [url, options] = this.read();
      const began = performance.now();
      const response = await fetch(new URL(url, location.origin), { ...options, credentials: "omit", cache: "no-store", redirect: "manual" });
      const text = await response.text();
      this.show(response, text, Math.round(performance.now() - began));
    } catch (problem) {
      this.status.textContent = `The request could not be sent: ${problem.message}`;
    }
    this.isSending = false;
    this.send.removeAttribute("aria-disabled");
  }

  show(response, text, took) {
    const outcome = response.ok ? "Success" : "Error";
    const line = [response.status, response.statusText].filter(Boolean).join(" ");
    this.status.textContent = `${outcome}: ${line}, ${took} ms`;
    this.status.dataset.outcome = outcome.toLowerCase();
    const headers = SHOWN_HEADERS.filter((name) => response.headers.has(name)).map((name) =>
      element("div", {}, element("dt", { textContent: name }), element("dd", { textContent: response.headers.get(name) })),
    );
    const body = element("pre", { className: "api-example", tabIndex: 0 }, element("code", { textContent: readable(text) }));
    body.setAttribute("role", "region");
    body.setAttribute("aria-label", "Response body");
    this.answer.replaceChildren(element("dl", { className: "api-try__headers" }, ...headers), body);
  }
}

function note(text) {
  return element("p", { className: "api-try__note", textContent: text });
}

function readable(text) {
  let shown = text;
  try {
    shown = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // It is shown as it is.
  }
  return shown.length > LONGEST ? `${shown.slice(0, LONGEST)}\n… (${shown.length} characters in all)` : shown || "(empty)";
}

const built = new WeakSet();

/* The event does not bubble. */
root.addEventListener("toggle", (event) => {
  const details = event.target;
  if (!details.matches(".api-try") || !details.open || built.has(details)) return;
  built.add(details);
  new TryIt(details);
}, true);

token.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && asker) asker.focus();
});

/* A page that the browser keeps for "back" must not keep the token. */
addEventListener("pagehide", () => {
  token.value = "";
  token.dispatchEvent(new Event("input"));
});

root.querySelector(".api-toc__tools").hidden = false;
root.dataset.canTry = "";
