// Opens the preview beside the form of the theme, unless the editor has closed it before. Narrow windows have no room beside it.
document.addEventListener("DOMContentLoaded", () => {
  const panel = document.querySelector('[data-side-panel="preview"]');
  if (!panel || !window.matchMedia("(min-width: 64rem)").matches) return;
  let chosen = null;
  try {
    chosen = localStorage.getItem("wagtail:side-panel-open");
  } catch {
    // Without storage, it opens every time.
  }
  if (chosen === null) panel.dispatchEvent(new CustomEvent("open"));
});
