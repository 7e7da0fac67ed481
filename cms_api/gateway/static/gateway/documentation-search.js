/* The search of the API documentation: shows the operations, records and events that contain all the words. */
const root = document.querySelector(".api-docs");
const box = root.querySelector("#api-search");
const count = root.querySelector("#api-count");
const text = root.querySelector(".api-docs__text");
const none = root.querySelector(".api-docs__none");
const shortcut = root.querySelector("#api-shortcut");
const groups = [...root.querySelectorAll(".api-group")];
const entries = [...root.querySelectorAll(".api-operation, .api-record")];
const rest = [...root.querySelectorAll("[data-rest]")];
const links = [...root.querySelectorAll(".api-toc ul ul a")];
const headings = [...root.querySelectorAll(".api-toc ul ul")].map((list) => list.parentElement);
const REMEMBERED = "api-documentation-shortcut";

const KINDS = [
  ["operation", "operations", (entry) => entry.matches(".api-operation") && !isEvent(entry)],
  ["event", "events", (entry) => isEvent(entry)],
  ["record", "records", (entry) => entry.matches(".api-record")],
];

function isEvent(entry) {
  return entry.querySelector(".api-method--event") !== null;
}

/* Titles, methods, paths, abilities, descriptions and the names of fields; an event has those of its record. */
function wordsOf(entry) {
  const parts = [...entry.querySelectorAll("h3, .api-operation__line, .api-operation__about, th[scope=row]")];
  const record = isEvent(entry) && entry.querySelector("a[href^='#record-']");
  const more = record ? [...document.getElementById(record.hash.slice(1)).querySelectorAll("h3, th[scope=row]")] : [];
  return [...parts, ...more].map((part) => part.textContent).join(" ").toLowerCase();
}

let index = null;

function indexed() {
  index ??= entries.map((entry) => ({ entry, words: wordsOf(entry), kind: KINDS.findIndex(([, , is]) => is(entry)) }));
  return index;
}

function apply() {
  const wanted = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = KINDS.map(() => 0);
  const shown = new Set();
  for (const { entry, words, kind } of indexed()) {
    entry.hidden = !wanted.every((word) => words.includes(word));
    if (!entry.hidden) {
      found[kind] += 1;
      shown.add(`#${entry.id}`);
    }
  }
  for (const link of links) link.parentElement.hidden = !shown.has(link.hash);
  for (const heading of headings) heading.hidden = !heading.querySelector("ul li:not([hidden])");
  for (const group of groups) group.hidden = !group.querySelector(".api-operation:not([hidden]), .api-record:not([hidden])");
  for (const each of rest) each.hidden = wanted.length > 0;
  none.hidden = shown.size > 0;
  const sums = KINDS.map(([one, many], at) => found[at] && `${found[at]} ${found[at] === 1 ? one : many}`).filter(Boolean);
  count.textContent = sums.join(", ") || "No matches";
}

function clear() {
  box.value = "";
  apply();
}

/* What a fragment names is shown, also if the search has hidden it. */
function reveal(fragment) {
  const target = fragment && document.getElementById(decodeURIComponent(fragment.slice(1)));
  if (!target || !root.contains(target) || !target.closest("[hidden]")) return;
  clear();
  target.scrollIntoView();
}

box.addEventListener("input", () => {
  apply();
  // Beside the results, the box stays in view while they are scrolled; the first ones would be out of it.
  if (text.getBoundingClientRect().top < 0) text.scrollIntoView({ behavior: "instant" });
});
box.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  event.preventDefault();
  clear();
});

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (event.key !== "/" || !shortcut.checked || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  box.focus();
  box.select();
});

/* Keys without a modifier can be switched off: they get in the way of speech input. */
function isSwitchedOff() {
  try {
    return localStorage.getItem(REMEMBERED) === "off";
  } catch {
    return false;
  }
}

shortcut.checked = !isSwitchedOff();
shortcut.addEventListener("change", () => {
  try {
    localStorage.setItem(REMEMBERED, shortcut.checked ? "on" : "off");
  } catch {
    // It holds for this page.
  }
});

addEventListener("hashchange", () => reveal(location.hash));
root.addEventListener("click", (event) => reveal(event.target.closest("a[href^='#']")?.hash));

root.querySelector(".api-toc__list").open = matchMedia("(min-width: 60em)").matches;
apply();
