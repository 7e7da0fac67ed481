/* Brings the moving part of an import's page up to date until the import is over. */

(() => {
  const place = document.querySelector("[data-import-progress]");
  const PAUSE = 1000;
  const LONGEST = 15000;
  let pause = PAUSE;

  async function update() {
    try {
      const answer = await fetch(place.dataset.importProgress, { headers: { "X-Requested-With": "XMLHttpRequest" } });
      if (!answer.ok || answer.redirected) throw new Error(answer.status);
      const text = await answer.text();
      show(new DOMParser().parseFromString(text, "text/html"), text);
      pause = PAUSE;
    } catch {
      pause = Math.min(pause * 2, LONGEST);
    }
    if (place.querySelector("[data-under-way]")) setTimeout(update, pause);
  }

  /* While it is under way only figures change, so that nobody loses the focus or hears the same again. */
  function show(fresh, text) {
    const more = fresh.querySelectorAll("tbody tr").length !== place.querySelectorAll("tbody tr").length;
    if (!fresh.querySelector("[data-under-way]") || (more && !place.contains(document.activeElement))) {
      place.innerHTML = text;
      return;
    }
    for (const part of [".imports__state", ".imports__words", ".imports__counts"]) {
      const [held, said] = [place.querySelector(part), fresh.querySelector(part).innerHTML];
      if (held.innerHTML !== said) held.innerHTML = said;
    }
    place.querySelector("progress").value = fresh.querySelector("progress").value;
  }

  if (place && place.querySelector("[data-under-way]")) setTimeout(update, PAUSE);
})();
