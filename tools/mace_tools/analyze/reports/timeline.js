// Timelines: bars in lanes over time.
// SPDX-License-Identifier: Apache-2.0
const LANE = 0, START = 2, LENGTH = 3, COLOR = 4, LANE_HEIGHT = 30, TOP = 22;

class Timeline {
  constructor(box, data) {
    Object.assign(this, { box, data, chosen: null });
    this.end = Math.max(1e-9, ...data.bars.map((b) => b[START] + b[LENGTH]));
    this.lanes = make("div", { className: "lanes" }, ...data.lanes.map((l) => make("div", {}, l)));
    this.stage = make("div", { className: "stage" });
    this.words = make("p", { className: "soft" }, "Click a bar to see what it is.");
    this.stage.style.height = `${TOP + data.lanes.length * LANE_HEIGHT + 6}px`;
    box.append(this.bar = make("div", { className: "bar" }),
      make("div", { className: "sides" }, this.lanes, this.stage), this.words);
    this.view = new View(this.stage, `${box.dataset.label}: ${data.bars.length} bars in `
      + `${data.lanes.length} lanes. The tables of this page have them, too.`,
    () => [this.end, 1], (c, v) => this.draw(c, v), true);
    this.view.pick = (px, py) => this.choose(this.barAt(px, py));
    this.bar.append(this.view.buttons(),
      make("span", { className: "hint" }, "Drag to move, Ctrl and wheel to zoom, click a bar"));
  }

  barAt(px, py) {
    const lane = Math.floor((py - TOP) / LANE_HEIGHT), time = px / this.view.scale + this.view.x;
    const reach = 2 / this.view.scale;  // two pixels: short bars can be hit
    return this.data.bars.find((b) => b[LANE] === lane && time >= b[START] - reach
      && time <= b[START] + b[LENGTH] + reach) ?? null;
  }

  choose(bar) {
    this.chosen = bar;
    const { unit } = this.data;
    this.words.replaceChildren(...(bar === null ? ["Click a bar to see what it is."] : [
      make("b", {}, bar[1]), ` ${bar[LENGTH]} ${unit} from ${bar[START]} ${unit} on. ${bar[5]}`]));
    this.view.redraw();
  }

  draw(context, view) {
    const soft = color("--soft"), grid = color("--grid"), ink = color("--ink");
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    this.drawTicks(context, view, soft, grid);
    for (const bar of this.data.bars) {
      const x = (bar[START] - view.x) * view.scale, y = TOP + bar[LANE] * LANE_HEIGHT;
      const width = Math.max(bar[LENGTH] * view.scale, 0.6);
      if (x > view.width || x + width < 0) continue;
      context.fillStyle = this.data.colors[bar[COLOR]];
      context.fillRect(x, y + 3, width, LANE_HEIGHT - 6);
      if (bar === this.chosen) {
        context.lineWidth = 2;
        context.strokeStyle = ink;
        context.strokeRect(x, y + 3, width, LANE_HEIGHT - 6);
      }
      const left = Math.max(x, 0), room = Math.min(x + width, view.width) - left - 8;
      const most = Math.floor(room / 6.2);
      if (most < 4) continue;
      context.fillStyle = "#16181d";
      const text = bar[1].length <= most ? bar[1] : `${bar[1].slice(0, most - 1)}…`;
      context.fillText(text, left + 4, y + LANE_HEIGHT / 2);
    }
  }

  drawTicks(context, view, soft, grid) {
    const span = view.width / view.scale, power = 10 ** Math.floor(Math.log10(span / 6));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => span / s <= 8) ?? span;
    for (let t = Math.ceil(view.x / step) * step; t <= view.x + span; t += step) {
      const x = (t - view.x) * view.scale;
      context.fillStyle = grid;
      context.fillRect(x, TOP - 6, 1, view.height);
      context.fillStyle = soft;
      context.fillText(`${Number(t.toPrecision(6))} ${this.data.unit}`, x + 3, TOP / 2);
    }
  }
}

for (const [name, Shown] of [["graph", GraphView], ["timeline", Timeline]]) {
  for (const box of document.querySelectorAll(`.${name}`)) {
    unpacked(box).then((data) => {
      box.view = new Shown(box, data);
      box.dataset.ready = data[name === "graph" ? "nodes" : "bars"].length;
    });
  }
}
