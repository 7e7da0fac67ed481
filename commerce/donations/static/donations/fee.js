// Keeps the sum right that covers the fee as amounts are chosen. Without it, the page shows the sum
// for the amount that it was opened with. Amounts are whole minor units, calculated as in types/fees.py.
"use strict";

const fee = document.querySelector("[data-fee]");
const form = fee.closest("form");
const shown = fee.querySelector("#fee-sum");
const { currency, locale } = fee.dataset;
const decimals = Number(fee.dataset.exponent);
const WHOLE = 10000n;

function cover(cents) {
  const left = WHOLE - BigInt(fee.dataset.basisPoints);
  return ((cents + BigInt(fee.dataset.fixedCents)) * WHOLE + left - 1n) / left - cents;
}

function typedCents(text) {
  const typed = /^\s*(\d{1,12})(?:\.(\d*))?\s*$/.exec(text);
  if (!typed || (typed[2] || "").length > decimals) return null;
  return BigInt(typed[1] + (typed[2] || "").padEnd(decimals, "0")) || null;
}

function chosenCents() {
  const amount = form.elements.amount?.value ?? "other";
  return amount === "other" ? typedCents(form.elements.other_amount.value) : BigInt(amount);
}

function written(cents) {
  const text = String(cents).padStart(decimals + 1, "0");
  const whole = text.slice(0, text.length - decimals);
  const part = text.slice(text.length - decimals);
  const shownDecimals = Number(part) ? decimals : 0;
  const format = { style: "currency", currency, minimumFractionDigits: shownDecimals, maximumFractionDigits: shownDecimals };
  return new Intl.NumberFormat(locale, format).format(shownDecimals ? `${whole}.${part}` : whole);
}

function showFee() {
  const cents = chosenCents();
  const more = cents === null ? 0n : cover(cents);
  const text = cents === null ? "" : `For ${written(cents)}, this adds ${written(more)}: ${written(cents + more)} in total.`;
  if (shown.textContent !== text) shown.textContent = text;
}

form.addEventListener("input", showFee);
// Browsers restore the choice of a page that is opened again.
addEventListener("pageshow", showFee);
showFee();
