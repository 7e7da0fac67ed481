// Rows whose module is switched off can be edited where they stand, but are not offered when a row is added.
class RowsBlockDefinition extends window.wagtailStreamField.blocks.StreamBlockDefinition {
  constructor(name, groups, states, meta) {
    super(name, groups, states, meta);
    this.groupedChildBlockDefs = groups
      .map(([label, definitions]) => [label, definitions.filter((each) => !meta.switchedOff.includes(each.name))])
      .filter(([, definitions]) => definitions.length);
  }
}

window.telepath.register("home.RowsBlock", RowsBlockDefinition);
