// Draws maps with Leaflet. Nothing is requested, from this site or from the host of the tiles, before a visitor asks for a map.
(() => {
  const quiet = matchMedia("(prefers-reduced-motion: reduce)").matches;
  // Set by a search of the visible part, whose page opens its map at once: this visitor has asked for it.
  const ASKED = "map-asked";
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

  const remember = () => {
    try {
      sessionStorage.setItem(ASKED, "1");
    } catch {
      // Without storage, the next page waits to be asked again.
    }
  };

  const wasAsked = () => {
    try {
      const asked = sessionStorage.getItem(ASKED);
      sessionStorage.removeItem(ASKED);
      return asked !== null;
    } catch {
      return false;
    }
  };

  // South, west, north and east of what is visible, within the degrees that exist.
  const visible = (map) => {
    const bounds = map.getBounds();
    const [south, north] = [bounds.getSouth(), bounds.getNorth()].map((degrees) => Math.min(90, Math.max(-90, degrees)));
    const isWhole = bounds.getEast() - bounds.getWest() >= 360;
    const wrap = (degrees) => ((((degrees + 180) % 360) + 360) % 360) - 180;
    const [west, east] = isWhole ? [-180, 180] : [bounds.getWest(), bounds.getEast()].map(wrap);
    return [south, west, north, east].map((degrees) => degrees.toFixed(5)).join(",");
  };

  const offerSearch = (map, view, { url }) => {
    const offer = element("p", "", "map__search");
    const button = link("Search this area", url);
    button.className = "button button--quiet";
    const update = () => {
      button.href = url + visible(map);
    };
    update();
    map.on("moveend", update);
    button.addEventListener("click", remember);
    offer.append(button);
    view.after(offer);
  };

  const frame = (L, map, { markers, zoom, search }) => {
    const [first] = markers;
    if (search?.box) {
      const [south, west, north, east] = search.box.split(",").map(Number);
      const across = [[south, west], [north, east < west ? east + 360 : east]];
      // A little less, so that rounding does not zoom out.
      map.fitBounds(L.latLngBounds(across).pad(-0.005));
    } else if (markers.length === 1) map.setView([first.latitude, first.longitude], zoom);
    else {
      const places = markers.map(({ latitude, longitude }) => [latitude, longitude]);
      map.fitBounds(places, { padding: [32, 48], maxZoom: zoom });
    }
  };

  const draw = (L, view, config, takesFocus) => {
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
    frame(L, map, config);
    if (config.search) offerSearch(map, view, config.search);
    // The wheel scrolls the page, until somebody uses the map.
    map.on("click focus", () => map.scrollWheelZoom.enable());
    map.on("mouseout", () => map.scrollWheelZoom.disable());
    view.addEventListener("keydown", (event) => {
      if (event.key === "Escape") map.closePopup();
    });
    if (takesFocus) view.focus({ preventScroll: true });
  };

  const open = async (box, offer, status, config, takesFocus = true) => {
    status.textContent = "The map is loading…";
    try {
      const L = await load(config);
      const view = document.createElement("div");
      view.className = "map__view";
      view.setAttribute("role", "region");
      view.setAttribute("aria-label", box.dataset.mapLabel);
      view.tabIndex = 0;
      offer.replaceWith(view);
      draw(L, view, config, takesFocus);
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
    if (config.search && wasAsked()) open(box, offer, status, config, false);
  }
})();
