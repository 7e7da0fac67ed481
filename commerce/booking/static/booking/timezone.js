// Shows times in the browser's time zone on the first visit. The page then names the zone, so that this happens once.
(() => {
  const form = document.querySelector("form[data-timezone]");
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const address = new URL(location.href);
  if (!form || !zone || address.searchParams.has("tz")) return;
  address.searchParams.set("tz", zone);
  location.replace(address);
})();
