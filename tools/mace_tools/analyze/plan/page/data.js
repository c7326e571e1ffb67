// The plan's data, and numbers and names as people read them.
// SPDX-License-Identifier: Apache-2.0
const D = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);

const state = {
  plan: D.best,
  coloring: 0,
  view: null,    // [x0, x1, y0, y1]: steps and addresses shown; null: all
  step: null,    // pinned by a click; null: the peak
  hover: -1,     // record under the pointer
  cursor: null,  // step under the pointer
  find: "",
};

const plan = () => D.plans[state.plan];
const profileOf = (p) => D.profiles[p.profile];
const colorOf = (record) => D.colorings[state.coloring].colors[record];

function amount(count) {
  if (D.unit !== "bytes" || count < 1024) return exact(count);
  const power = Math.min(4, Math.floor(Math.log2(count) / 10));
  return String(+(count / 1024 ** power).toFixed(power === 1 ? 1 : 3)) + " " + ["KiB", "MiB", "GiB", "TiB"][power - 1];
}

const grouped = (n) => n.toLocaleString("en-US");
const exact = (count) => grouped(count) + " " + D.unit;

function duration(us) {
  if (us < 1) return "<1 µs";
  if (us < 1000) return Math.round(us) + " µs";
  const [value, unit] = us < 1e6 ? [us / 1e3, " ms"] : [us / 1e6, " s"];
  return +value.toPrecision(3) + unit;
}

// Rounded up where it is not exact, so that 1.000 means 1.
const ratio = (a, b, digits = 3) =>
  b ? (Math.ceil((a / b) * 10 ** digits - 1e-9) / 10 ** digits).toFixed(digits) : "-";

function shortName(name, most = 60) {
  const first = name.split(";")[0];
  if (first.length <= most) return first;
  const tail = Math.floor(((most - 1) * 2) / 5);
  return first.slice(0, most - 1 - tail) + "…" + first.slice(first.length - tail);
}

const nameOf = (record) => D.records[record].name || "record " + record;

function stepLabel(step) {
  const known = D.steps[step];
  return grouped(step) + (known && known[0] ? " · " + shortName(known[0], 34) : "");
}

// Live bytes from `step` on, and where that ends.
function levelAt(p, step) {
  const levels = profileOf(p);
  let low = 0, high = levels.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (levels[middle][0] <= step) low = middle + 1; else high = middle;
  }
  return {
    begin: low ? levels[low - 1][0] : D.first,
    live: low ? levels[low - 1][1] : 0,
    end: low < levels.length ? levels[low][0] : D.end,
  };
}

const matches = (record) => {
  const r = D.records[record];
  return !state.find || (r.name + " " + r.op).toLowerCase().includes(state.find);
};

// Black or white, whichever reads better on that colour.
const inks = new Map();
function ink(color) {
  if (!inks.has(color)) {
    const [r, g, b] = [1, 3, 5].map((k) => parseInt(color.slice(k, k + 2), 16) / 255)
      .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    inks.set(color, 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.2 ? "#16181d" : "#ffffff");
  }
  return inks.get(color);
}

// Elements; text is never parsed as markup.
function html(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}
