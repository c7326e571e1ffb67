// What stands around the picture: figures, strategies, live tensors, tip and table.
// SPDX-License-Identifier: Apache-2.0
const OFFSETS = "offsets/";
const shortest = Math.min(...D.plans.filter((p) => p.total > 0).map((p) => p.total), Infinity);
// Bars and small pictures longer than this are cut, so that the others can be compared.
const scaleEnd = Math.min(shortest * 2.5, Math.max(...D.plans.map((p) => p.total), 1));

const lifetime = (r) =>
  `steps ${grouped(r.first)} to ${grouped(r.last)} (${grouped(r.last - r.first + 1)})`;

function tile(name, value, ...note) {
  return html("div", { class: "tile" }, html("div", { class: "label" }, name),
    html("div", { class: "value" }, value), html("div", { class: "note" }, ...note));
}

function badge(p) {
  return p.status === "optimal" ? html("span", { class: "badge good" }, "✓ proven optimal")
    : html("span", { class: "badge" }, `${ratio(p.total, p.bound)} × the bound`);
}

function drawTiles() {
  const p = plan(), fewer = D.naive ? 100 * (1 - p.total / D.naive) : 0;
  $("tiles").replaceChildren(
    tile(p.kind === "offsets" ? "Arena" : "Shared objects", amount(p.total), badge(p)),
    tile("Lower bound", amount(p.bound), "no plan of this kind takes less"),
    tile("Without sharing", amount(D.naive), `${ratio(D.naive, p.total, 1)} × as much, `
      + `${fewer.toFixed(fewer > 99 ? 1 : 0)} % saved`),
    tile("Peak", amount(p.peak[1]), `step ${stepLabel(p.peak[0])}`),
    tile("Planned in", duration(p.us), p.nodes ? `${grouped(p.nodes)} search nodes` : "no search"));
  $("chart-title").textContent = p.strategy;
}

function bar(p, width, cut) {
  return html("div", { class: cut ? "track cut" : "track", style: `width:${width}%` });
}

function drawStrategies() {
  const rows = [];
  for (const [prefix, title] of [[OFFSETS, "One arena"], ["objects/", "Shared objects"], ["", "Arena and images"]]) {
    const group = D.plans.map((p, k) => [p, k])
      .filter(([p]) => p.strategy.startsWith(prefix) && (prefix || !p.strategy.includes("/")))
      .sort(([a], [b]) => a.total - b.total);
    if (!group.length) continue;
    rows.push(html("div", { class: "group-title" }, html("span", {}, title),
      html("span", {}, D.unit), html("span", {}, "× bound")));
    for (const [p, k] of group) {
      rows.push(html("button", {
        class: k === state.plan ? "row on" : "row", "aria-pressed": k === state.plan,
        title: `${exact(p.total)}, ${p.status}, ${duration(p.us)}`, onclick: () => choose(k),
      }, html("span", { class: "name" }, p.strategy.slice(prefix.length)),
      html("span", { class: "num" }, amount(p.total)),
      html("span", { class: "num ratio" }, ratio(p.total, p.bound) + (p.status === "optimal" ? " ✓" : "")),
      bar(p, Math.min(100, (100 * p.total) / scaleEnd), p.total > scaleEnd)));
    }
  }
  $("strategies").replaceChildren(...rows);
}

function drawSavings() {
  $("savings-card").hidden = !D.savings.length;
  const most = Math.max(...D.savings.map(([, before]) => before), 1);
  $("savings").replaceChildren(...D.savings.map(([name, before, after]) => html("div",
    { class: "row", title: `${exact(before)} to ${exact(after)}` },
    html("span", { class: "name" }, name), html("span"),
    html("span", { class: "num" }, before > after ? "−" + amount(before - after) : "nothing"),
    html("div", { class: "track step", style: `width:${(100 * before) / most}%` },
      html("div", { style: `width:${before ? (100 * after) / before : 0}%` })))));
}

function drawLive() {
  const p = plan(), step = state.step === null ? p.peak[0] : state.step;
  const level = levelAt(p, step);
  const live = p.boxes.map(([record, low]) => ({ record, low, ...D.records[record] }))
    .filter((r) => r.first <= step && step <= r.last).sort((a, b) => b.size - a.size || a.low - b.low);
  $("live-title").textContent = (state.step === null ? "Peak: step " : "Live at step ") + stepLabel(step);
  $("to-peak").hidden = state.step === null;
  $("live-sum").textContent = `${live.length} tensors, ${exact(level.live)}`;
  $("live").replaceChildren(...live.map((r) => html("button", {
    class: "row", title: nameOf(r.record), onmouseenter: () => point(r.record),
    onmouseleave: () => point(-1), onfocus: () => point(r.record), onblur: () => point(-1),
  }, html("span", { class: "name" }, shortName(nameOf(r.record), 40)), html("span"),
  html("span", { class: "num" }, amount(r.size)),
  html("div", { class: "track",
    style: `width:${(100 * r.size) / live[0].size}%;background:${colorOf(r.record)}` }))));
}

function drawLegend() {
  const c = D.colorings[state.coloring];
  const swatch = (color) => html("i", { style: `background:${color}` });
  const keys = c.scale
    ? [html("span", {}, c.legend[0][1]),
      html("span", { class: "ramp" }, ...c.legend.map(([color]) => swatch(color))),
      html("span", {}, c.legend[c.legend.length - 1][1])]
    : c.legend.map(([color, meaning]) => html("span", {}, swatch(color), meaning));
  if (plan().shared.length) {
    keys.push(html("span", {}, svg("svg", { class: "swatch", width: 12, height: 12 },
      svg("defs", {}, hatch("hatch-key")),
      svg("rect", { width: 12, height: 12, rx: 3, fill: "#a9abb0" }),
      svg("rect", { width: 12, height: 12, rx: 3, fill: "url(#hatch-key)" })),
    "safe overlap: an output over its input"));
  }
  $("legend").replaceChildren(...keys);
}

// All strategies at one scale; the clock of all is the same.
function drawMinis() {
  const W = 300, H = 130, most = Math.min(scaleEnd, shortest * 1.6), end = most * 1.03;
  const x = (step) => (((step - D.first) / (D.end - D.first)) * W).toFixed(2);
  const y = (address) => H - (address / end) * H;
  $("minis-note").textContent = "One scale for all; "
    + `what goes beyond ${amount(Math.round(most))} is cut off. Dashes: the lower bound.`;
  const ordered = D.plans.map((p, k) => [p, k]).sort(([a], [b]) =>
    (a.kind === "offsets" ? 0 : 1) - (b.kind === "offsets" ? 0 : 1) || a.total - b.total);
  $("minis").replaceChildren(...ordered.map(([p, k]) => {
    const paths = new Map();
    for (const [record, low, high] of p.boxes) {
      if (low > end) continue;
      const r = D.records[record], color = colorOf(record);
      paths.set(color, (paths.get(color) || "") + `M${x(r.first)} ${y(low).toFixed(2)}H${x(r.last + 1)}`
        + `V${Math.max(0, y(high)).toFixed(2)}H${x(r.first)}Z`);
    }
    return html("button", { class: k === state.plan ? "mini on" : "mini", onclick: () => choose(k, true) },
      html("b", {}, p.strategy), html("div", { class: "figures" },
        `${amount(p.total)} · ${ratio(p.total, p.bound)} × bound · ${duration(p.us)}`
        + (p.status === "optimal" ? " · ✓" : "")),
      svg("svg", { viewBox: `0 0 ${W} ${H}`, preserveAspectRatio: "none", "aria-hidden": "true" },
        rect("plot", 0, 0, W, H),
        ...p.lanes.map(([, high]) => line("lane", 0, y(high), W, y(high))),
        ...[...paths].map(([color, d]) => svg("path",
          { d, fill: color, class: "box", "stroke-width": .5 })),
        line("mark bound", 0, y(p.bound), W, y(p.bound))));
  }));
}

function drawTable() {
  const at = new Map(plan().boxes.map(([record, low, , object]) => [record, object < 0 ? low : object]));
  const where = plan().kind === "offsets" ? "offset" : "object";
  const columns = [["tensor", (r, k) => nameOf(k)], ["op", (r) => r.op], [D.unit, (r) => r.size],
    ["first", (r) => r.first], ["last", (r) => r.last], ["alignment", (r) => r.align],
    [where, (r, k) => at.get(k) ?? ""]];
  const rows = D.records.map((r, k) => [k, columns.map(([, of]) => of(r, k))]);
  const body = html("tbody");
  const sort = (column, sign) => {
    const order = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b
      : String(a).localeCompare(String(b), "en", { numeric: true }));
    rows.sort(([, a], [, b]) => sign * order(a[column], b[column]));
    body.replaceChildren(...rows.map(([k, cells]) => html("tr", {
      onmouseenter: () => point(k), onmouseleave: () => point(-1),
    }, ...cells.map((c) => html("td", {}, typeof c === "number" ? grouped(c) : c)))));
  };
  let last = [3, 1];
  const head = html("tr", {}, ...columns.map(([name], k) => html("th", { onclick: () => {
    last = [k, last[0] === k ? -last[1] : (typeof rows[0][1][k] === "number" && k === 2 ? -1 : 1)];
    sort(...last);
  } }, name)));
  sort(...last);
  $("table").replaceChildren(html("thead", {}, head), body);
}

function tipOfRecord(record) {
  const p = plan(), r = D.records[record], [, low, high, object] = p.boxes.find((b) => b[0] === record);
  const rows = [["op", r.op], [D.unit, r.shape ? `${r.shape} = ${grouped(r.size)}` : `${grouped(r.size)}`
    + (r.size >= 1024 && D.unit === "bytes" ? ` (${amount(r.size)})` : "")],
  ["lifetime", lifetime(r)], ["written at", D.steps[r.first] ? stepLabel(r.first) : ""],
  ["last read at", D.steps[r.last] ? stepLabel(r.last) : ""],
  ...(object < 0 ? [["address", `${grouped(low)} to ${grouped(high)}`]] : [["object", String(object)]]),
  ["alignment", grouped(r.align)], ["shares with", r.shares],
  ...p.shared.filter(([over]) => over === record).map(([, under, , , from, to]) => ["safe overlap",
    `${exact(to - from)} of ${nameOf(under)}, read before`])];
  return [nameOf(record), rows];
}

function tipOfStep(step) {
  const level = levelAt(plan(), step), known = D.steps[step];
  return [`step ${stepLabel(step)}`, [["op", known ? known[1] : ""], ["live", exact(level.live)],
    ["of the peak", `${((100 * level.live) / Math.max(1, plan().peak[1])).toFixed(1)} %`]]];
}

function showTip(event, [title, rows]) {
  const tip = $("tip");
  tip.replaceChildren(html("b", {}, title), html("dl", {}, ...rows.filter(([, value]) => value)
    .flatMap(([name, value]) => [html("dt", {}, name), html("dd", {}, value)])));
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const flip = event.clientX + 18 + width > innerWidth;
  tip.style.left = Math.max(4, flip ? event.clientX - 16 - width : event.clientX + 18) + "px";
  tip.style.top = clamp(event.clientY + 16, 4, innerHeight - height - 4) + "px";
}

const hideTip = () => { $("tip").hidden = true; };
