// Canvases to pan and zoom, and data that pages hold compressed.
// SPDX-License-Identifier: Apache-2.0
async function unpacked(element) {
  const bytes = Uint8Array.from(atob(element.dataset.packed), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

// Pictures that are drawn once their details are opened.
for (const picture of document.querySelectorAll("img[data-packed]")) {
  picture.closest("details").addEventListener("toggle", () => unpacked(picture).then((svg) => {
    const bytes = Array.from(new TextEncoder().encode(svg), (b) => String.fromCharCode(b));
    picture.src = `data:image/svg+xml;base64,${btoa(bytes.join(""))}`;
  }), { once: true });
}

// make("p", {className: "soft"}, "text", child): an element; strings are texts.
function make(tag, properties, ...children) {
  const element = document.createElement(tag);
  const { aria, ...own } = properties ?? {};
  Object.assign(element, own);
  for (const [name, value] of Object.entries(aria ?? {})) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// A canvas that shows the world from (x, y) on, `scale` pixels for each unit. `horizontal`: only
// x is panned and zoomed. draw(context, view) draws it.
class View {
  constructor(box, label, size, draw, horizontal = false) {
    Object.assign(this, { size, draw, horizontal, x: 0, y: 0, scale: 1, wanted: false });
    this.canvas = make("canvas", { tabIndex: 0, aria: { role: "img", "aria-label": label } });
    box.append(this.canvas);
    this.pointers = new Map();
    this.listen();
    new ResizeObserver(() => this.resized()).observe(this.canvas);
    new MutationObserver(() => this.redraw()).observe(document.documentElement,
      { attributeFilter: ["data-theme"] });
  }

  get width() { return this.canvas.clientWidth; }
  get height() { return this.canvas.clientHeight; }

  resized() {
    const ratio = devicePixelRatio || 1, first = !this.fitted;
    this.canvas.width = Math.max(1, Math.round(this.width * ratio));
    this.canvas.height = Math.max(1, Math.round(this.height * ratio));
    if (first && this.width > 0) this.fit();
    this.redraw();
  }

  fit() {
    this.fitted = true;
    const [width, height] = this.size(), margin = this.horizontal ? 0 : 12;
    const across = (this.width - 2 * margin) / Math.max(width, 1e-9);
    const down = this.horizontal ? Infinity : (this.height - 2 * margin) / Math.max(height, 1);
    this.least = Math.min(across, down, this.horizontal ? Infinity : 1);
    this.scale = this.least;
    this.x = this.horizontal ? 0 : (width - this.width / this.scale) / 2;
    this.y = this.horizontal ? 0 : (height - this.height / this.scale) / 2;
    this.redraw();
  }

  redraw() {
    if (this.wanted) return;
    this.wanted = true;
    requestAnimationFrame(() => {
      this.wanted = false;
      const context = this.canvas.getContext("2d"), ratio = devicePixelRatio || 1;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, this.width, this.height);
      this.draw(context, this);
    });
  }

  // The point (px, py) of the canvas stays where it is.
  zoom(factor, px = this.width / 2, py = this.height / 2) {
    const most = this.horizontal ? this.least * 20000 : 3;
    const scale = Math.min(Math.max(this.scale * factor, this.least * 0.5), Math.max(most, this.least));
    this.x += px / this.scale - px / scale;
    if (!this.horizontal) this.y += py / this.scale - py / scale;
    this.scale = scale;
    this.redraw();
  }

  pan(dx, dy) {
    this.x -= dx / this.scale;
    if (!this.horizontal) this.y -= dy / this.scale;
    this.redraw();
  }

  center(x, y, scale) {
    this.scale = Math.max(this.scale, scale);
    this.x = x - this.width / this.scale / 2;
    if (!this.horizontal) this.y = y - this.height / this.scale / 2;
    this.redraw();
  }

  // The place of an event on the canvas.
  at(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  listen() {
    const canvas = this.canvas;
    canvas.addEventListener("wheel", (e) => {
      if (!e.ctrlKey && !e.metaKey) return;  // the page scrolls
      e.preventDefault();
      this.zoom(Math.exp(-e.deltaY * 0.003), ...this.at(e));
    }, { passive: false });
    canvas.addEventListener("pointerdown", (e) => {
      canvas.setPointerCapture(e.pointerId);
      this.pointers.set(e.pointerId, this.at(e));
      this.moved = 0;
    });
    canvas.addEventListener("pointermove", (e) => this.move(e));
    for (const end of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(end, (e) => {
        const was = this.pointers.delete(e.pointerId);
        if (was && end === "pointerup" && this.moved < 5 && this.pick) this.pick(...this.at(e));
      });
    }
    canvas.addEventListener("dblclick", (e) => this.zoom(2, ...this.at(e)));
    canvas.addEventListener("keydown", (e) => {
      const keys = { "+": () => this.zoom(1.4), "-": () => this.zoom(1 / 1.4), 0: () => this.fit(),
        ArrowLeft: () => this.pan(60, 0), ArrowRight: () => this.pan(-60, 0),
        ArrowUp: () => this.pan(0, 60), ArrowDown: () => this.pan(0, -60) };
      if (!(e.key in keys) || e.ctrlKey || e.metaKey) return;
      e.preventDefault();
      keys[e.key]();
    });
  }

  move(e) {
    const before = this.pointers.get(e.pointerId), now = this.at(e);
    if (!before) return;
    if (this.pointers.size === 2) {
      const [other] = [...this.pointers].filter(([id]) => id !== e.pointerId).map(([, p]) => p);
      const distance = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
      this.zoom(distance(now) / distance(before), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
    } else {
      this.pan(now[0] - before[0], now[1] - before[1]);
    }
    this.moved += Math.hypot(now[0] - before[0], now[1] - before[1]);
    this.pointers.set(e.pointerId, now);
  }

  buttons() {
    const one = (text, label, action) => make("button", { type: "button", title: label,
      aria: { "aria-label": label }, onclick: action }, text);
    return make("span", { className: "zoom" }, one("+", "Zoom in", () => this.zoom(1.5)),
      one("−", "Zoom out", () => this.zoom(1 / 1.5)), one("Fit", "Show all of it", () => this.fit()));
  }
}
