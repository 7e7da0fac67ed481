// The editor of a rich text block, named by its label: Wagtail ties a block's label to inputs only, and Draftail's is hidden.
class NamedRichTextArea extends window.draftail.DraftailRichTextArea {
  render(container, name, id, ...rest) {
    const label =
      container.closest("[data-contentpath]")?.querySelector(":scope > label") ??
      container.closest("[data-panel]")?.querySelector("[data-panel-heading]");
    if (!label) return super.render(container, name, id, ...rest);
    label.id ||= `${id}-label`;
    const named = new window.draftail.DraftailRichTextArea({ ...this.options, ariaLabelledBy: label.id });
    return named.render(container, name, id, ...rest);
  }
}

window.telepath.register("adminkit.RichTextArea", NamedRichTextArea);
