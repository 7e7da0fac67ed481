const PAUSE = 200;
const timers = new WeakMap();

// What the names are listed in; made where an input has none yet.
function listOf(input) {
  if (!input.list) {
    const made = Object.assign(document.createElement("datalist"), { id: `${input.id}_names` });
    input.after(made);
    input.setAttribute("list", made.id);
  }
  return input.list;
}

// Lists the companies that there are below an input, as one types; without an answer the input stays what it is.
async function list(input) {
  const url = new URL(input.dataset.companyNames, window.location.href);
  url.searchParams.set("q", input.value);
  try {
    const answer = await fetch(url, { headers: { "X-Requested-With": "XMLHttpRequest" } });
    if (!answer.ok) return;
    const options = (await answer.json()).map((name) => Object.assign(document.createElement("option"), { value: name }));
    listOf(input).replaceChildren(...options);
  } catch {
    // Names are a help, and may be typed without it.
  }
}

document.addEventListener("input", (event) => {
  const input = event.target;
  if (!input.dataset?.companyNames || !input.value.trim()) return;
  window.clearTimeout(timers.get(input));
  timers.set(input, window.setTimeout(() => list(input), PAUSE));
});
