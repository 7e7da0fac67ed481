// Counts down the time for which tickets are reserved. Screen readers are told twice: two minutes before the end, and then.
(() => {
  const shown = document.querySelector("[data-reserved-until]");
  const said = document.querySelector("[data-reserved-said]");
  if (!shown || !said) return;
  const left = shown.querySelector(".reserved__left");
  const end = Number(shown.dataset.reservedUntil) * 1000;
  const soon = 2 * 60;
  const longest = 60 * 60;
  const toldAt = new Set();

  const tell = (name, sentence) => {
    if (toldAt.has(name)) return;
    toldAt.add(name);
    said.textContent = sentence;
  };

  const tick = () => {
    const seconds = Math.max(0, Math.round((end - Date.now()) / 1000));
    left.hidden = seconds > longest;
    left.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} left`;
    if (seconds === 0) {
      left.textContent = "Your reservation has ended. You can still try to order.";
      tell("end", left.textContent);
      clearInterval(timer);
    } else if (seconds <= soon) {
      tell("soon", "Your tickets are reserved for two more minutes.");
    }
  };

  const timer = setInterval(tick, 1000);
  tick();
})();
