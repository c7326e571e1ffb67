// The picture: time across, address up, a rectangle per tensor, live bytes below.
// SPDX-License-Identifier: Apache-2.0
const MARGIN = { left: 100, right: 14, top: 26, gap: 34, profile: 84, bottom: 40 };
const CHAR = 6.6;  // mean width of a character at 11 px
const size = { width: 900, height: 640 };
let boxesDrawn = [];  // {record, x, y, width, height}, as drawn

const whole = (p) => [D.first, D.end, 0, Math.max(p.top, p.bound, D.capacity || 0, 1) * 1.04];
const view = () => state.view || whole(plan());
const plotBottom = () => size.height - MARGIN.bottom - MARGIN.profile - MARGIN.gap;
const plotRight = () => size.width - MARGIN.right;

function toX(step) {
  const [x0, x1] = view();
  return MARGIN.left + ((step - x0) / (x1 - x0)) * (plotRight() - MARGIN.left);
}
function toY(address) {
  const [, , y0, y1] = view();
  return plotBottom() - ((address - y0) / (y1 - y0)) * (plotBottom() - MARGIN.top);
}
function toStep(x) {
  const [x0, x1] = view();
  return x0 + ((x - MARGIN.left) / (plotRight() - MARGIN.left)) * (x1 - x0);
}
function toAddress(y) {
  const [, , y0, y1] = view();
  return y0 + ((plotBottom() - y) / (plotBottom() - MARGIN.top)) * (y1 - y0);
}

// Round numbers in [low, high]: multiples of a power of two, or of 1, 2, 5 x 10^n.
function ticks(low, high, most, binary) {
  let step = 1;
  if (binary) {
    while ((high - low) / step > most) step *= 2;
  } else {
    const least = Math.max(1, (high - low) / most);
    const power = 10 ** Math.max(0, Math.floor(Math.log10(least)));
    step = [1, 2, 5, 10, 20].map((m) => m * power).find((m) => m >= least);
  }
  const found = [];
  for (let t = Math.ceil(low / step) * step; t <= high; t += step) found.push(t);
  return found;
}

const rect = (style, x, y, width, height, more = {}) =>
  svg("rect", { class: style, x, y, width: Math.max(0, width), height: Math.max(0, height), ...more });
const line = (style, x1, y1, x2, y2) => svg("line", { class: style, x1, y1, x2, y2 });
const label = (x, y, words, style = "soft", anchor = "start") =>
  svg("text", { x, y, class: style, "text-anchor": anchor }, words);

function drawChart() {
  const p = plan(), right = plotRight(), bottom = plotBottom();
  const root = svg("svg", { viewBox: `0 0 ${size.width} ${size.height}`, height: size.height });
  const clip = (id, top, height) => svg("clipPath", { id },
    svg("rect", { x: MARGIN.left, y: top, width: right - MARGIN.left, height }));
  const profileTop = bottom + MARGIN.gap;
  root.append(svg("defs", {}, clip("plot-clip", MARGIN.top, bottom - MARGIN.top),
    clip("profile-clip", profileTop, MARGIN.profile), hatch("hatch")));
  root.append(rect("plot", MARGIN.left, MARGIN.top, right - MARGIN.left, bottom - MARGIN.top),
    rect("plot", MARGIN.left, profileTop, right - MARGIN.left, MARGIN.profile));
  drawTimeAxis(root, profileTop);
  const inside = svg("g", { "clip-path": "url(#plot-clip)" });
  if (p.lanes.length) drawLanes(root, inside, p); else drawAddresses(root, inside);
  const tags = drawBoxes(inside, p);
  drawShared(inside, p);
  root.append(inside);
  drawProfile(root, p, profileTop);
  drawMarks(root, inside, p, profileTop);
  inside.append(tags);
  root.append(svg("g", { id: "overlay" }));
  $("chart").replaceChildren(root);
  drawOverlay();
}

function drawTimeAxis(root, profileTop) {
  const [x0, x1] = view(), bottom = profileTop + MARGIN.profile;
  const centre = x1 - x0 <= 300 ? 0.5 : 0;
  for (const step of ticks(x0, x1 - centre, Math.max(4, size.width / 90), false)) {
    const x = toX(step + centre);
    root.append(line("grid", x, MARGIN.top, x, plotBottom()), line("grid", x, profileTop, x, bottom),
      label(x, bottom + 17, grouped(step), "soft", "middle"));
  }
  root.append(label((MARGIN.left + plotRight()) / 2, bottom + 34, "step", "soft", "middle"),
    label(MARGIN.left, profileTop - 9, "live " + D.unit));
}

function drawAddresses(root, inside) {
  const [, , y0, y1] = view();
  for (const address of ticks(Math.max(0, y0), y1, 10, D.unit === "bytes")) {
    const y = toY(address);
    inside.append(line("grid", MARGIN.left, y, plotRight(), y));
    root.append(label(MARGIN.left - 8, y + 4, amount(address), "soft", "end"));
  }
  root.append(label(MARGIN.left - 8, MARGIN.top - 9, "address", "soft", "end"));
}

function drawLanes(root, inside, p) {
  for (const [low, high, name] of p.lanes) {
    const top = toY(high), bottom = toY(low);
    inside.append(rect("waste", MARGIN.left, top, plotRight() - MARGIN.left, bottom - top),
      line("lane", MARGIN.left, top, plotRight(), top));
    const from = Math.max(top, MARGIN.top), to = Math.min(bottom, plotBottom());
    const y = (from + to) / 2 + 4, space = to - from;
    if (space >= 30) root.append(label(MARGIN.left - 8, y + 8, amount(high - low), "soft", "end"));
    if (space >= 12) {
      root.append(label(MARGIN.left - 8, space >= 30 ? y - 7 : y, name, "soft", "end"));
    }
  }
}

// Returns the names, which go on top.
function drawBoxes(inside, p) {
  boxesDrawn = [];
  const [x0, x1, y0, y1] = view(), tags = svg("g");
  for (const [record, low, high] of p.boxes) {
    const r = D.records[record];
    if (r.last + 1 <= x0 || r.first >= x1 || high <= y0 || low >= y1) continue;
    const x = toX(r.first), y = toY(high), width = toX(r.last + 1) - x, height = toY(low) - y;
    const least = Math.min(width, height);
    const faint = !matches(record);
    inside.append(rect(faint ? "box faint" : "box", x, y, Math.max(width, .6), Math.max(height, .6), {
      fill: colorOf(record), rx: Math.min(3, least / 6),
      "stroke-width": least >= 5 ? 1 : least >= 1.5 ? .4 : 0,
    }));
    boxesDrawn.push({ record, low, x, y, width, height });
    if (!faint) drawTag(tags, r, x, y, width, height, colorOf(record));
  }
  return tags;
}

// Stripes, to be seen on any colour and read through.
const hatch = (id) => svg("pattern",
  { id, width: 8, height: 8, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
  svg("rect", { width: 2, height: 8, fill: "#16181d", "fill-opacity": .5 }));

// Where an output lies over the part of an input that was read.
function drawShared(inside, p) {
  for (const [, , first, last, low, high] of p.shared) {
    inside.append(rect("shared", toX(first), toY(high), Math.max(toX(last + 1) - toX(first), .6),
      Math.max(toY(low) - toY(high), .6), { fill: "url(#hatch)" }));
  }
}

// The name, across or up, where the visible part has space for it.
function drawTag(tags, r, x, y, width, height, color) {
  const left = Math.max(x, MARGIN.left), right = Math.min(x + width, plotRight());
  const top = Math.max(y, MARGIN.top), bottom = Math.min(y + height, plotBottom());
  const upright = bottom - top > right - left;
  const along = upright ? bottom - top : right - left, across = upright ? right - left : bottom - top;
  const space = Math.floor((along - 8) / CHAR);
  const name = shortName(r.tag, 60), bytes = amount(r.size);
  const words = name.length <= space ? name : space >= 8 ? shortName(name, space) : "";
  if (across < 14 || !words) return;
  const two = across >= 32 && bytes.length <= space, fillColor = ink(color);
  const place = `translate(${(left + right) / 2} ${(top + bottom) / 2})` + (upright ? " rotate(-90)" : "");
  const word = (text, dy, opacity) => svg("text",
    { class: "tag", y: dy, "text-anchor": "middle", style: `fill:${fillColor};opacity:${opacity};stroke:${color}` }, text);
  tags.append(svg("g", { transform: place }, word(words, two ? -3 : 4, 1),
    ...(two ? [word(bytes, 11, .75)] : [])));
}

function drawProfile(root, p, top) {
  const bottom = top + MARGIN.profile, most = Math.max(p.peak[1], 1) * 1.12;
  const y = (live) => bottom - (live / most) * MARGIN.profile;
  let path = `M${toX(D.first)} ${bottom}`, live = 0;
  for (const [step, next] of profileOf(p)) {
    path += `L${toX(step)} ${y(live)}L${toX(step)} ${y(next)}`;
    live = next;
  }
  root.append(svg("g", { "clip-path": "url(#profile-clip)" },
    svg("path", { class: "area", d: path + `L${toX(D.end)} ${bottom}Z` })),
    label(MARGIN.left - 8, y(p.peak[1]) + 4, amount(p.peak[1]), "soft", "end"),
    label(MARGIN.left - 8, bottom + 4, "0", "soft", "end"));
}

function drawMarks(root, inside, p, profileTop) {
  const [x0, x1] = view(), [peak, live, end] = p.peak;
  const from = Math.max(toX(peak), MARGIN.left), to = Math.min(Math.max(toX(end), from + 2), plotRight());
  if (end > x0 && peak < x1) {
    inside.append(rect("peak", from, MARGIN.top, to - from, plotBottom() - MARGIN.top));
    const middle = (from + to) / 2, late = middle > (MARGIN.left + plotRight()) / 2;
    root.append(rect("peak", from, profileTop, to - from, MARGIN.profile),
      svg("path", { class: "tip", d: `M${middle} ${MARGIN.top - 1}l-5 -7h10z` }),
      label(middle + (late ? -10 : 10), MARGIN.top - 9, `peak at step ${stepLabel(peak)}: ${amount(live)}`,
        "strong", late ? "end" : "start"));
  }
  const marks = [["bound", p.bound, "lower bound", "right"]];
  if (p.total !== p.bound) marks.push(["total", p.top, p.kind === "offsets" ? "arena" : "all objects", "left"]);
  if (D.capacity !== null) marks.push(["capacity", D.capacity, "capacity", "middle"]);
  for (const [style, address, name, side] of marks) {
    const y = toY(address), words = `${name} ${amount(style === "total" ? p.total : address)}`;
    if (y < MARGIN.top || y > plotBottom()) continue;
    const width = words.length * CHAR + 16, space = plotRight() - MARGIN.left - width - 8;
    const x = MARGIN.left + 4 + space * { left: 0, middle: .5, right: 1 }[side];
    const above = y - 22 < MARGIN.top ? y + 4 : y - 21;
    root.append(line("mark " + style, MARGIN.left, y, plotRight(), y),
      rect("pill", x, above, width, 17, { rx: 8.5 }),
      label(x + width / 2, above + 12.5, words, "soft", "middle"));
  }
}

// What changes as the pointer moves; the rest stays as it is.
function drawOverlay(frame = null) {
  const overlay = $("overlay"), bottom = plotBottom(), profileTop = bottom + MARGIN.gap;
  overlay.replaceChildren();
  const column = (style, step) => {
    const level = levelAt(plan(), step);
    const from = Math.max(toX(level.begin), MARGIN.left), to = Math.min(toX(level.end), plotRight());
    if (to <= from) return;
    overlay.append(rect(style, from, MARGIN.top, Math.max(2, to - from), bottom - MARGIN.top),
      rect(style, from, profileTop, Math.max(2, to - from), MARGIN.profile));
  };
  if (state.step !== null) column("pin", state.step);
  if (state.cursor !== null) {
    const x = toX(state.cursor);
    overlay.append(line("cursor", x, MARGIN.top, x, profileTop + MARGIN.profile));
  }
  const hot = boxesDrawn.find((b) => b.record === state.hover);
  if (hot) {
    overlay.append(svg("g", { "clip-path": "url(#plot-clip)" },
      rect("box hot", hot.x, hot.y, Math.max(hot.width, 2), Math.max(hot.height, 2),
        { fill: "none", rx: 3 })));
  }
  if (frame) {
    overlay.append(rect("frame", Math.min(frame[0], frame[2]), Math.min(frame[1], frame[3]),
      Math.abs(frame[2] - frame[0]), Math.abs(frame[3] - frame[1])));
  }
}
