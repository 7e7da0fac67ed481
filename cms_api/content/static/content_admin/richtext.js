import { changed } from "./changed.js";
import { cleanHtml, isSafeUrl } from "./html.js";
import { openChooser } from "./picker.js";

const TABLE = "<table><thead><tr><th>&nbsp;</th><th>&nbsp;</th></tr></thead><tbody><tr><td>&nbsp;</td><td>&nbsp;</td></tr></tbody></table><p><br></p>";

// What browsers leave where everything was deleted.
const EMPTY = ["", "<br>", "<p></p>", "<p><br></p>"];

// An editor of plain HTML over a textarea. The textarea is what is sent, and stays as it is until the text is edited.
export class RichTextController extends window.StimulusModule.Controller {
  static targets = ["toolbar", "editor", "html", "block", "source", "linkbar", "href", "blank"];
  static values = { chooser: String, picture: String };

  connect() {
    document.execCommand("defaultParagraphSeparator", false, "p");
    const label = document.querySelector(`label[for="${this.htmlTarget.id}"]`);
    if (label) this.editorTarget.setAttribute("aria-label", label.textContent.trim());
    this.toolbarTarget.hidden = false;
    this.showEditor();
  }

  showEditor() {
    this.editorTarget.innerHTML = cleanHtml(this.htmlTarget.value) || "<p><br></p>";
    this.editorTarget.hidden = false;
    this.htmlTarget.hidden = true;
    this.tell();
  }

  source() {
    const toSource = this.htmlTarget.hidden;
    if (toSource) {
      this.htmlTarget.hidden = false;
      this.editorTarget.hidden = true;
      this.linkbarTarget.hidden = true;
      this.htmlTarget.focus();
    } else {
      this.showEditor();
    }
    this.sourceTarget.setAttribute("aria-pressed", String(toSource));
    this.toolbarTarget.querySelectorAll("button, select").forEach((control) => {
      control.disabled = toSource && control !== this.sourceTarget;
    });
  }

  changed() {
    const html = cleanHtml(this.editorTarget.innerHTML, { whole: true });
    this.htmlTarget.value = EMPTY.includes(html) ? "" : html;
    this.tell();
    changed(this.htmlTarget);
  }

  format(event) {
    this.run(event.currentTarget.dataset.command);
  }

  block() {
    this.run("formatBlock", this.blockTarget.value);
  }

  run(command, value = null) {
    this.restore();
    document.execCommand("styleWithCSS", false, false);
    document.execCommand(command, false, value);
    this.changed();
  }

  paste(event) {
    const html = event.clipboardData.getData("text/html");
    if (!html) return;
    event.preventDefault();
    document.execCommand("insertHTML", false, cleanHtml(html, { plain: true }));
  }

  link() {
    this.restore();
    const link = this.linkAtSelection();
    this.hrefTarget.value = link ? link.getAttribute("href") || "" : "";
    this.blankTarget.checked = link?.target === "_blank";
    this.linkbarTarget.hidden = false;
    this.hrefTarget.focus();
  }

  applyLink() {
    const href = this.hrefTarget.value.trim();
    if (!href || !isSafeUrl(href)) {
      this.hrefTarget.setAttribute("aria-invalid", "true");
      return;
    }
    this.hrefTarget.removeAttribute("aria-invalid");
    this.restore();
    let link = this.linkAtSelection();
    if (link) {
      link.setAttribute("href", href);
    } else if (this.range?.collapsed) {
      const text = document.createElement("a");
      text.href = href;
      text.textContent = href;
      document.execCommand("insertHTML", false, text.outerHTML);
      link = this.linkAtSelection();
    } else {
      document.execCommand("createLink", false, href);
      link = this.linkAtSelection();
    }
    if (link && this.blankTarget.checked) link.setAttribute("target", "_blank");
    else link?.removeAttribute("target");
    this.closeLink();
    this.changed();
  }

  removeLink() {
    this.restore();
    const link = this.linkAtSelection();
    if (link) link.replaceWith(...link.childNodes);
    this.closeLink();
    this.changed();
  }

  closeLink() {
    this.linkbarTarget.hidden = true;
    this.editorTarget.focus();
  }

  image() {
    this.remember();
    openChooser("image", this.chooserValue, false, async ([chosen]) => {
      const response = await fetch(`${this.pictureValue}${chosen.id}/`);
      if (!response.ok) return;
      const picture = document.createElement("img");
      Object.assign(picture, await response.json());
      // The path as it is, without the host that the property would add.
      const html = picture.outerHTML;
      this.restore();
      document.execCommand("insertHTML", false, html);
      this.changed();
    });
  }

  table() {
    this.restore();
    document.execCommand("insertHTML", false, TABLE);
    this.changed();
  }

  // Marks in the toolbar what the selection is.
  tell() {
    this.remember();
    this.toolbarTarget.querySelectorAll("[data-command]").forEach((button) => {
      button.setAttribute("aria-pressed", String(document.queryCommandState(button.dataset.command)));
    });
    const block = document.queryCommandValue("formatBlock");
    if ([...this.blockTarget.options].some((option) => option.value === block)) this.blockTarget.value = block;
  }

  remember() {
    const selection = window.getSelection();
    const inside = selection.rangeCount && this.editorTarget.contains(selection.anchorNode);
    if (inside) this.range = selection.getRangeAt(0).cloneRange();
  }

  // Puts the cursor back to where it was before a button or a dialog took it.
  restore() {
    this.remember();
    this.editorTarget.focus();
    if (!this.range || !this.editorTarget.contains(this.range.startContainer)) return;
    const selection = window.getSelection();
    selection.removeAllRanges();
    selection.addRange(this.range);
  }

  linkAtSelection() {
    const node = window.getSelection().anchorNode;
    const element = node?.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    const link = element?.closest?.("a") || element?.querySelector?.("a");
    return link && this.editorTarget.contains(link) ? link : null;
  }
}
