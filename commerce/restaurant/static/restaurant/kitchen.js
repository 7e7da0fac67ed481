/* Brings the kitchen's list up to date. Nothing changes while it is the same, and the focus stays on the same button. */

(() => {
  const place = document.querySelector("[data-kitchen]");
  const PAUSE = 10000;
  if (!place) return;

  const signature = (root) => [...root.querySelectorAll("[data-order]")].map((each) => each.dataset.order).join();

  function focused() {
    const order = document.activeElement.closest("[data-order]");
    if (!order || !place.contains(order)) return null;
    const stops = [...order.querySelectorAll("a, button, select")];
    return [order.dataset.order, stops.indexOf(document.activeElement)];
  }

  async function update() {
    try {
      const answer = await fetch(place.dataset.kitchen, { headers: { "X-Requested-With": "XMLHttpRequest" } });
      if (answer.ok && !answer.redirected) {
        const text = await answer.text();
        const fresh = new DOMParser().parseFromString(text, "text/html");
        if (signature(fresh) !== signature(place)) {
          const kept = focused();
          place.innerHTML = text;
          const order = kept && place.querySelector(`[data-order="${kept[0]}"]`);
          if (order) order.querySelectorAll("a, button, select")[kept[1]]?.focus();
        }
      }
    } catch {
      /* The next attempt may succeed. */
    }
    setTimeout(update, PAUSE);
  }

  setTimeout(update, PAUSE);
})();
