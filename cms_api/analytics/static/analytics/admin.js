// Refreshes the visitors of the last minutes while the page is looked at.
const place = document.querySelector("[data-visits-live]");

async function refresh() {
  if (document.hidden) return;
  try {
    const answer = await fetch(place.dataset.visitsLive, { headers: { "X-Requested-With": "XMLHttpRequest" } });
    // After the end of a session the answer is the page to sign in.
    if (answer.ok && !answer.redirected) place.innerHTML = await answer.text();
  } catch {
    // The next attempt is in half a minute.
  }
}

if (place) {
  setInterval(refresh, 30_000);
  document.addEventListener("visibilitychange", refresh);
}
