/* Starts Wagtail's widgets, once, when the elements appear that name them: see adminkit/widget_scripts.py. */

/* Pickers would replace a date that is typed as in the site's country by today when the input is left, and cut a time zone. */
if (window.jQuery?.fn.datetimepicker) {
  window.jQuery.fn.datetimepicker.defaults.validateOnBlur = false;
}

/* An attribute must not be able to call any other function. */
const STARTED = new Set([
  "Chooser",
  "DocumentChooser",
  "ImageChooser",
  "InlinePanel",
  "MultipleChooserPanel",
  "PageChooser",
  "SnippetChooser",
  "createTaskChooser",
  "initDateChooser",
  "initDateTimeChooser",
  "initTimeChooser",
]);

class WidgetStart extends window.StimulusModule.Controller {
  static values = { function: String, arguments: Array };

  connect() {
    /* An element that is moved connects again. */
    this.element.remove();
    if (!STARTED.has(this.functionValue)) throw new Error(`${this.functionValue} is not in widget-start.js.`);
    Reflect.construct(window[this.functionValue], this.argumentsValue);
  }
}

window.wagtail.app.register("widget-start", WidgetStart);
