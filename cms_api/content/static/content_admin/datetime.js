const UNITS = { daily: "days", weekly: "weeks", monthly: "months", yearly: "years" };

// Shows of a date's inputs those that apply; what is hidden the server leaves out.
export class DateTimeController extends window.StimulusModule.Controller {
  static targets = ["timed", "allDay", "frequency", "repeating", "weekly", "monthly", "unit", "ends", "until", "count"];

  connect() {
    this.show();
  }

  show() {
    const frequency = this.frequencyTarget.value;
    const ends = this.endsTarget.value;
    const visible = (targets, shown) => targets.forEach((target) => { target.hidden = !shown; });
    visible(this.timedTargets, !this.allDayTarget.checked);
    visible(this.repeatingTargets, Boolean(frequency));
    visible(this.weeklyTargets, frequency === "weekly");
    visible(this.monthlyTargets, frequency === "monthly");
    visible(this.untilTargets, ends === "until");
    visible(this.countTargets, ends === "count");
    this.unitTarget.textContent = UNITS[frequency] || "";
  }
}
