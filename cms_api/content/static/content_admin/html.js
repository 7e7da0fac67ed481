// HTML as the server will clean it, so that an editor never runs or keeps what would be dropped. The server has the last word.
const TAGS = new Set(
  ("p br hr h1 h2 h3 h4 h5 h6 strong b em i u s sub sup code pre blockquote ul ol li a img figure figcaption " +
    "table thead tbody tfoot tr th td span div").split(" "),
);
const DROPPED = new Set("script style iframe noscript noembed noframes xmp plaintext textarea title head object embed svg math".split(" "));
const INLINE = new Set("strong b em i u s sub sup code a img span br".split(" "));
const RENAMED = { b: "strong", i: "em", strike: "s", del: "s" };
const ATTRIBUTES = {
  a: ["href", "target", "title", "rel"],
  img: ["src", "alt", "title", "width", "height"],
  td: ["colspan", "rowspan", "scope"],
  th: ["colspan", "rowspan", "scope"],
};

export function isSafeUrl(url, schemes = ["http", "https", "mailto"]) {
  const text = url.trim();
  if (text.startsWith("//") || /[\u0000-\u001f\u007f-\u009f\\]/.test(text)) return false;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text);
  return scheme ? schemes.includes(scheme[1].toLowerCase()) : !text.split(/[/?#]/)[0].includes(":");
}

// Clean HTML of the given one. `plain` also unwraps what only carries another program's styles; `whole` puts text that stands
// in no block into a paragraph.
export function cleanHtml(html, { plain = false, whole = false } = {}) {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  cleanChildren(parsed.body, parsed, plain);
  if (whole) wrapStrayText(parsed.body, parsed);
  return parsed.body.innerHTML;
}

function wrapStrayText(body, doc) {
  let paragraph = null;
  [...body.childNodes].forEach((node) => {
    const inline = node.nodeType === Node.TEXT_NODE || INLINE.has(node.localName);
    if (!inline || (!paragraph && !node.textContent.trim() && node.localName !== "img")) {
      paragraph = null;
      return;
    }
    if (!paragraph) {
      paragraph = doc.createElement("p");
      node.before(paragraph);
    }
    paragraph.append(node);
  });
}

function cleanChildren(parent, doc, plain) {
  [...parent.childNodes].forEach((node) => {
    if (node.nodeType === Node.TEXT_NODE) return;
    if (node.nodeType !== Node.ELEMENT_NODE || DROPPED.has(node.localName)) {
      node.remove();
      return;
    }
    cleanChildren(node, doc, plain);
    const unwraps = !TAGS.has(node.localName) && !RENAMED[node.localName];
    if (unwraps || (plain && ["span", "div"].includes(node.localName))) node.replaceWith(...node.childNodes);
    else cleanElement(node, doc);
  });
}

function cleanElement(node, doc) {
  const name = RENAMED[node.localName] || node.localName;
  const clean = doc.createElement(name);
  (ATTRIBUTES[name] || []).forEach((attribute) => {
    const value = node.getAttribute(attribute);
    if (value === null) return;
    if (attribute === "href" && !isSafeUrl(value)) return;
    if (attribute === "src" && !isSafeUrl(value, ["http", "https"])) return;
    clean.setAttribute(attribute, value);
  });
  clean.append(...node.childNodes);
  node.replaceWith(clean);
}
