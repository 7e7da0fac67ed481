// The controllers of the widgets in an item's form.
import { ColorController } from "./color.js";
import { DateTimeController } from "./datetime.js";
import { HoursController } from "./hours.js";
import { PickerController } from "./picker.js";
import { RichTextController } from "./richtext.js";

const { app } = window.wagtail;
app.register("content-color", ColorController);
app.register("content-datetime", DateTimeController);
app.register("content-hours", HoursController);
app.register("content-picker", PickerController);
app.register("content-richtext", RichTextController);
