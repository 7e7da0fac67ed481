/* The languages of the API documentation: one at a time, the same in all examples, and remembered. Examples can be copied. */
const root = document.querySelector(".api-docs");
const REMEMBERED = "api-documentation-language";
const COPIED = 2000;
const titles = new Map([...root.querySelectorAll(".api-sample")].map(
  (sample) => [sample.dataset.language, sample.querySelector("h5").textContent],
));

function remembered() {
  try {
    return localStorage.getItem(REMEMBERED);
  } catch {
    return null;
  }
}

function remember(language) {
  try {
    localStorage.setItem(REMEMBERED, language);
  } catch {
    // It holds for this page.
  }
}

function button(text, data) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "api-choice";
  made.textContent = text;
  Object.assign(made.dataset, data);
  return made;
}

function addChoices(samples) {
  const bar = document.createElement("div");
  bar.className = "api-samples__bar";
  bar.append(...[...titles].map(([language, title]) => button(title, { choose: language })));
  const copy = button("Copy", { copy: "" });
  copy.classList.add("api-choice--copy");
  bar.append(copy);
  samples.querySelector("h4").after(bar);
}

function show(language) {
  root.dataset.language = language;
  for (const each of root.querySelectorAll("[data-choose]")) {
    each.setAttribute("aria-pressed", String(each.dataset.choose === language));
  }
}

async function copy(from) {
  const code = from.closest(".api-samples").querySelector(`.api-sample[data-language=${root.dataset.language}] code`);
  try {
    await navigator.clipboard.writeText(code.textContent);
    from.textContent = "Copied";
  } catch {
    from.textContent = "Copying failed";
  }
  setTimeout(() => { from.textContent = "Copy"; }, COPIED);
}

root.addEventListener("click", (event) => {
  const pressed = event.target.closest("[data-choose], [data-copy]");
  if (!pressed) return;
  if ("copy" in pressed.dataset) {
    copy(pressed);
    return;
  }
  // The examples above it get longer or shorter; the one that is read stays where it is.
  const before = pressed.getBoundingClientRect().top;
  show(pressed.dataset.choose);
  scrollBy({ top: pressed.getBoundingClientRect().top - before, behavior: "instant" });
  remember(pressed.dataset.choose);
});

if (titles.size) {
  for (const samples of root.querySelectorAll(".api-samples")) addChoices(samples);
  const before = remembered();
  show(titles.has(before) ? before : titles.keys().next().value);
}
