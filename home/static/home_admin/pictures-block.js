// A list of parts with a picture, with a button that chooses or uploads several pictures and adds a part for each.
class PicturesBlockDefinition extends window.wagtailStreamField.blocks.ListBlockDefinition {
  render(...args) {
    const list = super.render(...args);
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button button-small button-secondary";
    button.textContent = "Add images";
    button.addEventListener("click", () => this.choose(list));
    list.container[0].append(button);
    return list;
  }

  async choose(list) {
    const { openChooser } = await import("../content_admin/picker.js");
    openChooser("image", this.meta.chooserUrl, true, (found) => this.add(list, found));
  }

  // The first pictures go into parts that have none: a new list begins with such a part.
  add(list, found) {
    const empty = list.children.filter((part) => !part.getState().value.picture);
    for (const picture of found) {
      const part = empty.shift();
      if (part) {
        part.setValue({ ...part.getState().value, picture });
      } else {
        const [, initial, id] = list._getChildDataForInsertion();
        list.insert({ ...initial, picture }, list.children.length, { id });
      }
    }
    list.container[0].dispatchEvent(new Event("change", { bubbles: true }));
  }
}

window.telepath.register("home.PicturesBlock", PicturesBlockDefinition);
