// Keeps the sum right that covers the fee as amounts are chosen. Without it, the page shows the sum
// for the amount that it was opened with. Amounts are whole minor units, calculated as in types/fees.py.
"use strict";

const fee = document.querySelector("[data-fee]");
const form = fee.closest("form");
const shown = fee.querySelector("#fee-sum");
const { currency, locale } = fee.dataset;
// Of the site's country, which may have others than the browser's English.
const SEPARATORS = { decimal: fee.dataset.decimal, group: fee.dataset.group };
const decimals = Number(fee.dataset.exponent);
const WHOLE = 10000n;

function cover(cents) {
  // What a recurring donation has now stays as it is.
  if (fee.dataset.presentCents === String(cents)) return BigInt(fee.dataset.presentCover);
  const left = WHOLE - BigInt(fee.dataset.basisPoints);
  const step = BigInt(fee.dataset.step);
  const total = ((cents + BigInt(fee.dataset.fixedCents)) * WHOLE + left - 1n) / left;
  return ((total + step - 1n) / step) * step - cents;
}

// Amounts are typed as the server reads them: by the conventions of the site's country, in well-formed groups.
function separator(type) {
  const character = SEPARATORS[type];
  if (/\s/.test(character)) return "\\s";
  return /['’]/.test(character) ? "['’]" : `\\${character}`;
}

const group = separator("group");
const AMOUNT = new RegExp(`^\\s*(\\d+|[1-9]\\d{0,2}(?:${group}\\d{2,3})*${group}\\d{3})(?:${separator("decimal")}(\\d+))?\\s*$`);

function typedCents(text) {
  const typed = AMOUNT.exec(text.slice(0, 60));
  if (!typed || (typed[2] || "").length > decimals) return null;
  return BigInt(typed[1].replace(/\D/g, "") + (typed[2] || "").padEnd(decimals, "0")) || null;
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
  const parts = new Intl.NumberFormat(locale, format).formatToParts(shownDecimals ? `${whole}.${part}` : whole);
  return parts.map(({ type, value }) => SEPARATORS[type] ?? value).join("");
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
