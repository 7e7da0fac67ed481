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
      // Replacing it would take the focus from a button, or the place that somebody has scrolled to.
      if (place.contains(document.activeElement) && /data-under-way/.test(text)) renew(text);
      else place.innerHTML = text;
      pause = PAUSE;
    } catch {
      pause = Math.min(pause * 2, LONGEST);
    }
    if (place.querySelector("[data-under-way]")) setTimeout(update, pause);
  }

  /* Only the figures. */
  function renew(text) {
    const fresh = new DOMParser().parseFromString(text, "text/html");
    for (const part of [".imports__state", ".imports__words", ".imports__counts"]) {
      place.querySelector(part).innerHTML = fresh.querySelector(part).innerHTML;
    }
    place.querySelector("progress").value = fresh.querySelector("progress").value;
  }

  if (place && place.querySelector("[data-under-way]")) setTimeout(update, PAUSE);
})();
