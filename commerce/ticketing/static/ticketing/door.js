/* The door: sends codes without loading the page, reads them with a camera, and keeps the counts up to date.
   Only an answer of the door itself is a verdict; anything else, such as a lost connection, is none. */
(() => {
  const root = document.querySelector("[data-door]");
  if (!root) return;

  const find = (name) => root.querySelector(`[data-door-${name}]`);
  const form = find("form");
  const input = find("code");
  const part = find("part");
  const sound = find("sound");
  const TIMEOUT = 8000;
  const REFRESH = 30000;
  /* A code that the camera still sees is not sent again for so long. */
  const SAME_CODE = 4000;
  const MARK = "X-Door";
  const queue = [];
  let isSending = false;
  let audio = null;

  const newNonce = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

  async function ask(body) {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), TIMEOUT);
    try {
      const response = await fetch(form.action, {
        method: body ? "POST" : "GET", body, headers: { [MARK]: "part" }, credentials: "same-origin", signal: abort.signal,
      });
      if (!response.ok || !response.headers.has(MARK)) return null;
      return new DOMParser().parseFromString(await response.text(), "text/html");
    } catch {
      return null;
    } finally {
      clearTimeout(timer);
    }
  }

  function show(answer) {
    find("verdict").replaceChildren(...answer.querySelector("[data-door-verdict]").childNodes);
    count(answer);
    const shown = find("verdict").querySelector("[data-tone]");
    if (shown) beep(shown.dataset.tone);
  }

  function count(answer) {
    find("counts").replaceChildren(...answer.querySelector("[data-door-counts]").childNodes);
  }

  function showOffline(scan) {
    const message = find("offline").content.cloneNode(true);
    message.querySelector("[data-door-unanswered]").textContent = scan.code;
    message.querySelector("[data-door-again]").addEventListener("click", () => send(scan));
    find("verdict").replaceChildren(message);
    beep("offline");
  }

  /* One after the other, so that the last verdict is that of the last code. */
  async function send(scan) {
    queue.push(scan);
    if (isSending) return;
    isSending = true;
    while (queue.length) {
      const next = queue.shift();
      const body = new FormData(form);
      body.set("code", next.code);
      body.set("nonce", next.nonce);
      part.setAttribute("aria-busy", "true");
      const answer = await ask(body);
      part.removeAttribute("aria-busy");
      if (answer) show(answer);
      else showOffline(next);
    }
    isSending = false;
    input.focus();
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const code = input.value.trim();
    input.value = "";
    input.focus();
    if (code) send({ code, nonce: newNonce() });
  });

  setInterval(async () => {
    if (document.hidden || isSending) return;
    const answer = await ask(null);
    if (answer && !isSending) count(answer);
  }, REFRESH);

  /* Sound, which is off until somebody ticks it. */
  find("sound-label").hidden = !window.AudioContext;
  sound.addEventListener("change", () => {
    if (sound.checked) audio = audio || new AudioContext();
    input.focus();
  });

  function beep(tone) {
    if (!sound.checked || !audio) return;
    const note = audio.createOscillator();
    const volume = audio.createGain();
    const length = tone === "good" ? 0.12 : 0.45;
    note.frequency.value = tone === "good" ? 880 : 220;
    volume.gain.setValueAtTime(0.2, audio.currentTime);
    volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + length);
    note.connect(volume).connect(audio.destination);
    note.start();
    note.stop(audio.currentTime + length);
  }

  /* The camera, in browsers that read codes. */
  const button = find("camera");
  const video = find("video");
  let stream = null;

  async function offerCamera() {
    if (!("BarcodeDetector" in window) || !navigator.mediaDevices) return;
    const formats = await window.BarcodeDetector.getSupportedFormats();
    button.hidden = !formats.includes("qr_code");
  }

  async function watch() {
    const detector = new window.BarcodeDetector({ formats: ["qr_code"] });
    let last = "";
    let seen = 0;
    while (stream) {
      const [found] = await detector.detect(video).catch(() => []);
      const now = Date.now();
      if (found && (found.rawValue !== last || now - seen > SAME_CODE)) {
        last = found.rawValue;
        send({ code: last, nonce: newNonce() });
      }
      if (found) seen = now;
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
  }

  function stop() {
    stream?.getTracks().forEach((track) => track.stop());
    stream = null;
    video.hidden = true;
    button.textContent = "Use camera";
  }

  button.addEventListener("click", async () => {
    if (stream) {
      stop();
      return;
    }
    try {
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
      video.srcObject = stream;
      video.hidden = false;
      await video.play();
      button.textContent = "Stop camera";
      watch();
    } catch {
      stop();
      button.textContent = "The camera can't be used";
    }
  });

  offerCamera();
})();
