// Counts the visits of a page, without cookies: see docs/analytics.md.
(() => {
  const script = document.currentScript, agent = navigator;
  if (agent.webdriver || agent.doNotTrack === "1" || agent.globalPrivacyControl) return;
  let id, spent, since;

  const send = message => agent.sendBeacon(script.dataset.to, JSON.stringify(message));

  const look = () => { since ??= performance.now(); };

  const rest = () => {
    if (since === undefined) return;
    spent += performance.now() - since;
    since = undefined;
    const seconds = Math.round(spent / 1000);
    if (seconds) send({ n: "time", i: id, s: seconds });
  };

  // The address of another page of this site may be secret, and does not matter.
  const external = () => document.referrer.startsWith(`${location.origin}/`) ? "" : document.referrer;

  const view = () => {
    const kind = document.querySelector("meta[name=page-kind]");
    const bytes = crypto.getRandomValues(new Uint8Array(8));
    // 63 bits, of which the last one is 0.
    bytes[0] &= 127;
    bytes[7] &= 254;
    id = Array.from(bytes, byte => byte.toString(16).padStart(2, "0")).join("");
    spent = 0;
    since = undefined;
    if (!document.hidden) look();
    send({ n: kind ? kind.content : "view", i: id, u: location.href, r: external(), t: document.title });
  };

  addEventListener("visibilitychange", () => document.hidden ? rest() : look());
  addEventListener("pagehide", rest);
  addEventListener("pageshow", event => { if (event.persisted) view(); });
  if (document.prerendering) document.addEventListener("prerenderingchange", view, { once: true });
  else view();
})();
