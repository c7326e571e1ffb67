// Graphs of models: nodes and edges, a search, colours, and what is known of a node.
// SPDX-License-Identifier: Apache-2.0
const OP = 2, NAME = 3, READS = 4, WRITES = 5, DETAILS = 6, IS_END = 7;

// The colour that lies `part` of the way from one to the other; both are #rrggbb.
function mixed(from, to, part) {
  const channel = (hex, k) => parseInt(hex.slice(k, k + 2), 16);
  return `rgb(${[1, 3, 5].map((k) =>
    Math.round(channel(from, k) * (1 - part) + channel(to, k) * part)).join(" ")})`;
}

class GraphView {
  constructor(box, data) {
    Object.assign(this, { box, data, chosen: -1, found: null, shade: data.colors[0] });
    this.makers = new Map();
    data.nodes.forEach((node, k) => node[WRITES].forEach(([name]) => this.makers.set(name, k)));
    this.bar = make("div", { className: "bar" });
    this.stage = make("div", { className: "stage" });
    this.panel = make("div", { className: "panel", aria: { "aria-live": "polite" } });
    box.append(this.bar, make("div", { className: "sides" }, this.stage, this.panel));
    this.view = new View(this.stage, `${box.dataset.label}: ${data.nodes.length} nodes. The tables of `
      + "this page have them, too.", () => [data.width, data.height], (c, v) => this.draw(c, v));
    this.view.pick = (px, py) => this.choose(this.nodeAt(px, py));
    this.legend = make("p", { className: "legend" });
    box.append(this.legend);
    this.fillBar();
    this.fillLegend();
    this.choose(-1);
  }

  fillBar() {
    this.search = make("input", { type: "search", placeholder: "Find nodes, ops, shapes",
      aria: { "aria-label": `Find nodes: ${this.box.dataset.label}` } });
    this.count = make("output");
    this.search.addEventListener("input", () => this.find(this.search.value));
    this.search.addEventListener("keydown", (e) => {
      if (e.key === "Enter") this.next(e.shiftKey ? -1 : 1);
    });
    const pick = make("select", { onchange: () => {
      this.shade = this.data.colors[pick.selectedIndex];
      this.fillLegend();
      this.view.redraw();
    } }, ...this.data.colors.map((c) => make("option", {}, c.title)));
    this.bar.append(this.search, this.count,
      ...(this.data.colors.length ? [make("label", {}, "Colours by ", pick)] : []),
      this.view.buttons(),
      make("span", { className: "hint" }, "Drag to move, Ctrl and wheel to zoom, click a node"));
  }

  fillLegend() {
    this.legend.replaceChildren();
    const swatch = (background) => {
      const dot = make("i");
      dot.style.background = background;
      return dot;
    };
    if (!this.shade) return;
    if (this.shade.entries) {
      this.shade.entries.forEach(([name, value]) => this.legend.append(swatch(value), name));
    } else {
      const ramp = swatch("linear-gradient(90deg, var(--plot), var(--bad))");
      ramp.className = "ramp";
      this.legend.append(this.shade.low, ramp, this.shade.high);
    }
  }

  fill(k) {
    const value = this.shade ? this.shade.of[k] : null;
    if (value === null || value === undefined) return color("--plot");
    if (this.shade.entries) return this.shade.entries[value][1];
    return mixed(this.plot, this.bad, value);
  }

  find(words) {
    const wanted = words.trim().toLowerCase();
    this.found = null;
    if (wanted) {
      this.found = new Set();
      this.data.nodes.forEach((node, k) => {
        const text = [node[OP], node[NAME], ...node[READS].flat(), ...node[WRITES].flat(),
          ...node[DETAILS].flat()].join("\n").toLowerCase();
        if (text.includes(wanted)) this.found.add(k);
      });
    }
    this.count.textContent = wanted ? `${this.found.size} found` : "";
    this.view.redraw();
  }

  next(step) {
    const all = [...(this.found ?? [])];
    if (!all.length) return;
    const at = all.indexOf(this.chosen);
    this.show(all[(at + step + all.length) % all.length]);
  }

  show(k) {
    const [x, y] = this.data.nodes[k], [width, height] = this.data.size;
    this.view.center(x + width / 2, y + height / 2, 0.9);
    this.choose(k);
  }

  nodeAt(px, py) {
    const x = px / this.view.scale + this.view.x, y = py / this.view.scale + this.view.y;
    const [width, height] = this.data.size;
    return this.data.nodes.findIndex((n) => x >= n[0] && x <= n[0] + width && y >= n[1]
      && y <= n[1] + height);
  }

  choose(k) {
    this.chosen = k;
    this.view.redraw();
    if (k < 0) {
      this.panel.replaceChildren(make("p", { className: "soft" },
        "Click a node to see its shapes, its kernel and why it runs where it does."));
      return;
    }
    const node = this.data.nodes[k];
    const rows = make("dl", {}, ...node[DETAILS].flatMap(([label, value]) =>
      [make("dt", {}, label), make("dd", {}, value)]));
    this.panel.replaceChildren(make("h3", {}, node[OP]), make("p", { className: "name" }, node[NAME]),
      rows, ...this.tensors("Inputs", node[READS], k), ...this.tensors("Outputs", node[WRITES], k));
  }

  tensors(title, list, own) {
    if (!list.length) return [];
    const readers = (name) => this.data.nodes.flatMap((n, k) =>
      k !== own && n[READS].some(([read]) => read === name) ? [k] : []);
    const items = list.map(([name, type]) => {
      const item = make("li", {}, make("b", {}, name), ` ${type}`);
      const ends = title === "Inputs" ? [this.makers.get(name) ?? []].flat() : readers(name);
      for (const k of ends.slice(0, 8)) {
        item.append(" ", make("button", { type: "button", onclick: () => this.show(k) },
          `${title === "Inputs" ? "from" : "to"} ${this.data.nodes[k][OP]}`));
      }
      if (ends.length > 8) item.append(` and ${ends.length - 8} more`);
      return item;
    });
    return [make("h4", {}, title), make("ul", {}, ...items)];
  }

  draw(context, view) {
    this.plot = color("--plot");
    this.bad = color("--bad");
    context.save();
    context.scale(view.scale, view.scale);
    context.translate(-view.x, -view.y);
    this.drawEdges(context, view);
    this.drawNodes(context, view);
    context.restore();
  }

  drawEdges(context, view) {
    const near = new Path2D(), far = new Path2D(), [width, height] = this.data.size;
    const right = view.x + view.width / view.scale, bottom = view.y + view.height / view.scale;
    for (const [start, end, points] of this.data.edges) {
      const from = this.data.nodes[start], to = this.data.nodes[end];
      let x = from[0] + width / 2, y = from[1] + height;
      const path = start === this.chosen || end === this.chosen ? near : far;
      const line = [...points, to[0] + width / 2, to[1]];
      for (let k = 0; k < line.length; k += 2) {
        const [nx, ny] = [line[k], line[k + 1]];
        if (Math.max(x, nx) >= view.x && Math.min(x, nx) <= right
          && Math.max(y, ny) >= view.y && Math.min(y, ny) <= bottom) {
          path.moveTo(x, y);
          if (x === nx || y === ny) path.lineTo(nx, ny);
          else path.bezierCurveTo(x, (y + ny) / 2, nx, (y + ny) / 2, nx, ny);
        }
        [x, y] = [nx, ny];
      }
    }
    context.lineWidth = Math.max(1, 0.7 / view.scale);
    context.strokeStyle = color("--lane");
    context.stroke(far);
    context.lineWidth *= 2;
    context.strokeStyle = color("--accent");
    context.stroke(near);
  }

  drawNodes(context, view) {
    const [width, height] = this.data.size, ink = color("--ink"), accent = color("--accent");
    const right = view.x + view.width / view.scale, bottom = view.y + view.height / view.scale;
    context.textBaseline = "middle";
    this.data.nodes.forEach((node, k) => {
      const [x, y] = node;
      if (x > right || x + width < view.x || y > bottom || y + height < view.y) return;
      const fill = this.fill(k);
      context.globalAlpha = this.found && !this.found.has(k) ? 0.18 : 1;
      context.fillStyle = fill;
      context.beginPath();
      context.roundRect(x, y, width, height, node[IS_END] ? height / 2 : 5);
      context.fill();
      context.lineWidth = k === this.chosen ? 3 : 1;
      context.strokeStyle = k === this.chosen ? accent : ink;
      context.globalAlpha *= k === this.chosen ? 1 : 0.75;
      context.stroke();
      if (view.scale > 0.3) this.drawWords(context, node, fill, ink);
    });
    context.globalAlpha = 1;
  }

  drawWords(context, node, fill, ink) {
    const [width, height] = this.data.size, [x, y] = node;
    const fit = (text, size) => {
      const most = Math.floor((width - 14) / (size * 0.56));
      return text.length <= most ? text : `…${text.slice(text.length - most + 1)}`;
    };
    context.fillStyle = fill.startsWith("#") && fill !== this.plot ? "#16181d" : ink;
    context.font = "600 12px system-ui, sans-serif";
    context.fillText(fit(node[OP], 12.5), x + 7, y + height * 0.31, width - 12);
    context.font = "10px system-ui, sans-serif";
    context.fillText(fit(node[NAME], 10), x + 7, y + height * 0.72, width - 12);
  }
}
