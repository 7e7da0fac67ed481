// Draws maps with Leaflet. Nothing is requested, from this site or from the host of the tiles, before a visitor asks for a map.
(() => {
  const quiet = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let loading;

  const load = ({ script, style }) => {
    loading ??= new Promise((resolve, reject) => {
      const sheet = document.createElement("link");
      sheet.rel = "stylesheet";
      sheet.href = style;
      const styled = new Promise((done) => {
        sheet.addEventListener("load", done);
        sheet.addEventListener("error", done);
      });
      const code = document.createElement("script");
      code.src = script;
      code.addEventListener("load", () => styled.then(() => resolve(window.L)));
      code.addEventListener("error", () => {
        loading = undefined;
        reject(new Error(script));
      });
      document.head.append(sheet, code);
    });
    return loading;
  };

  const element = (name, content, className) => {
    const made = document.createElement(name);
    made.textContent = content;
    if (className) made.className = className;
    return made;
  };

  const link = (content, href) => {
    const made = element("a", content);
    made.href = href;
    return made;
  };

  // Leaflet reads attributions as HTML.
  const attributionOf = ({ attribution, copyright }) =>
    (copyright ? link(attribution, copyright) : element("span", attribution)).outerHTML;

  const describe = ({ title, address, path }) => {
    const words = document.createElement("div");
    const name = element("p", path ? "" : title, "map__title");
    if (path) name.append(link(title, path));
    words.append(name);
    if (address) words.append(element("p", address));
    return words;
  };

  const draw = (L, view, config) => {
    const motion = { fadeAnimation: !quiet, zoomAnimation: !quiet, markerZoomAnimation: !quiet };
    const map = L.map(view, { scrollWheelZoom: false, ...motion });
    map.attributionControl.setPrefix(link("Leaflet", "https://leafletjs.com").outerHTML);
    L.tileLayer(config.tiles, { maxZoom: 19, attribution: attributionOf(config) }).addTo(map);
    const icon = L.icon({
      iconUrl: config.icon,
      iconRetinaUrl: config.icon2x,
      shadowUrl: config.shadow,
      iconSize: [25, 41],
      iconAnchor: [12, 41],
      popupAnchor: [1, -34],
      shadowSize: [41, 41],
    });
    for (const place of config.markers) {
      const marker = L.marker([place.latitude, place.longitude], { icon, title: place.title, alt: place.title }).addTo(map);
      marker.bindPopup(describe(place), { closeButton: false });
      marker.on("popupopen", ({ popup }) => popup.getElement().querySelector("a")?.focus({ preventScroll: true }));
      marker.on("popupclose", ({ popup }) => {
        if (popup.getElement()?.contains(document.activeElement)) marker.getElement().focus({ preventScroll: true });
      });
    }
    const [first] = config.markers;
    if (config.markers.length === 1) map.setView([first.latitude, first.longitude], config.zoom);
    else {
      const places = config.markers.map(({ latitude, longitude }) => [latitude, longitude]);
      map.fitBounds(places, { padding: [32, 48], maxZoom: config.zoom });
    }
    // The wheel scrolls the page, until somebody uses the map.
    map.on("click focus", () => map.scrollWheelZoom.enable());
    map.on("mouseout", () => map.scrollWheelZoom.disable());
    view.addEventListener("keydown", (event) => {
      if (event.key === "Escape") map.closePopup();
    });
    view.focus({ preventScroll: true });
  };

  const open = async (box, offer, status, config) => {
    status.textContent = "The map is loading…";
    try {
      const L = await load(config);
      const view = document.createElement("div");
      view.className = "map__view";
      view.setAttribute("role", "region");
      view.setAttribute("aria-label", box.dataset.mapLabel);
      view.tabIndex = 0;
      offer.replaceWith(view);
      draw(L, view, config);
      status.textContent = "";
    } catch {
      status.textContent = "The map could not be loaded. Try again later.";
    }
  };

  for (const box of document.querySelectorAll("[data-map]")) {
    const offer = box.querySelector("[data-map-offer]");
    const status = box.querySelector("[data-map-status]");
    const config = JSON.parse(box.dataset.map);
    offer.hidden = false;
    offer.querySelector("button").addEventListener("click", () => open(box, offer, status, config));
  }
})();
