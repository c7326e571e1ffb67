// Pointer, wheel and keys over the picture.
// SPDX-License-Identifier: Apache-2.0
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

// Keeps the view inside the plan, and above a least size.
function show(next) {
  const all = whole(plan());
  const axis = (k, least) => {
    const length = clamp(next[k + 1] - next[k], Math.min(least, all[k + 1] - all[k]), all[k + 1] - all[k]);
    const middle = (next[k] + next[k + 1]) / 2;
    const begin = clamp(middle - length / 2, all[k], all[k + 1] - length);
    return [begin, begin + length];
  };
  const [x, y] = [axis(0, 2), axis(2, 16)];
  const fits = x[0] <= all[0] && x[1] >= all[1] && y[0] <= all[2] && y[1] >= all[3];
  state.view = fits ? null : [...x, ...y];
  requestDraw();
}

function zoom(factor, step = null, address = null, time = true, space = true) {
  const [x0, x1, y0, y1] = view();
  const cx = step === null ? (x0 + x1) / 2 : step, cy = address === null ? (y0 + y1) / 2 : address;
  const fx = time ? factor : 1, fy = space ? factor : 1;
  show([cx - (cx - x0) * fx, cx + (x1 - cx) * fx, cy - (cy - y0) * fy, cy + (y1 - cy) * fy]);
}

function move(dx, dy) {
  const [x0, x1, y0, y1] = view();
  show([x0 + dx, x1 + dx, y0 + dy, y1 + dy]);
}

let waiting = false;
function requestDraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; drawChart(); });
}

function position(event) {
  const box = $("chart").getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

const inTime = (x) => x >= MARGIN.left && x <= plotRight();
const inPlot = (x, y) => inTime(x) && y >= MARGIN.top && y <= plotBottom();

// The box there, or one so thin that it is only nearly there.
function boxAt(x, y) {
  let best = null, nearest = 3;
  for (const b of boxesDrawn) {
    const dx = Math.max(b.x - x, 0, x - b.x - b.width), dy = Math.max(b.y - y, 0, y - b.y - b.height);
    const far = Math.max(dx, dy);
    if (far < nearest || (far === 0 && best && b.height * b.width < best.height * best.width)) {
      [best, nearest] = [b, Math.max(far, 1e-9)];
    }
  }
  return best;
}

function listenToPointer() {
  const chart = $("chart");
  let drag = null;
  chart.addEventListener("pointerdown", (event) => {
    const [x, y] = position(event);
    if (event.button !== 0 || !inTime(x)) return;
    drag = { x, y, view: view().slice(), moving: event.shiftKey || event.pointerType === "touch" };
    chart.setPointerCapture(event.pointerId);
    chart.focus({ preventScroll: true });
  });
  chart.addEventListener("pointermove", (event) => {
    const [x, y] = position(event);
    if (drag && Math.hypot(x - drag.x, y - drag.y) > 4) drag.moved = true;
    if (drag && drag.moved && drag.moving) {
      const [x0, x1, y0, y1] = drag.view;
      chart.classList.add("moving");
      const dx = ((drag.x - x) / (plotRight() - MARGIN.left)) * (x1 - x0);
      const dy = ((y - drag.y) / (plotBottom() - MARGIN.top)) * (y1 - y0);
      show([x0 + dx, x1 + dx, y0 + dy, y1 + dy]);
    } else if (drag && drag.moved) {
      drawOverlay(frameOf(drag, x, y));
    } else {
      hover(x, y, event);
    }
  });
  chart.addEventListener("pointerup", (event) => {
    const [x, y] = position(event), was = drag;
    drag = null;
    chart.classList.remove("moving");
    if (!was) return;
    if (!was.moved) {
      pin(Math.floor(toStep(x)));
    } else if (!was.moving) {
      const [x0, y0, x1, y1] = frameOf(was, x, y);
      show([toStep(x0), toStep(x1), toAddress(y1), toAddress(y0)]);
    }
  });
  chart.addEventListener("pointerleave", () => {
    if (!drag) leave();
  });
  chart.addEventListener("dblclick", () => { state.view = null; requestDraw(); });
  chart.addEventListener("wheel", (event) => {
    const [x, y] = position(event);
    if (!inTime(x) || !(event.ctrlKey || event.metaKey || (state.view && event.shiftKey))) return;
    event.preventDefault();
    const delta = event.deltaY || event.deltaX;
    if (event.ctrlKey || event.metaKey) {
      zoom(1.0015 ** delta, toStep(x), toAddress(clamp(y, MARGIN.top, plotBottom())),
        !event.altKey, !event.shiftKey);
    } else {
      move((delta / 900) * (view()[1] - view()[0]), 0);
    }
  }, { passive: false });
  chart.addEventListener("keydown", (event) => {
    const [x0, x1, y0, y1] = view(), dx = (x1 - x0) / 8, dy = (y1 - y0) / 8;
    const actions = {
      ArrowLeft: () => move(-dx, 0), ArrowRight: () => move(dx, 0),
      ArrowUp: () => move(0, dy), ArrowDown: () => move(0, -dy),
      "+": () => zoom(.7), "=": () => zoom(.7), "-": () => zoom(1 / .7),
      "0": () => show(whole(plan())), Escape: () => pin(null),
    };
    if (!actions[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    actions[event.key]();
  });
}

// A frame with a flat side covers that whole side.
function frameOf(drag, x, y) {
  let [x0, y0, x1, y1] = [Math.min(drag.x, x), Math.min(drag.y, y), Math.max(drag.x, x), Math.max(drag.y, y)];
  if (y1 - y0 < 8 || drag.y > plotBottom()) [y0, y1] = [MARGIN.top, plotBottom()];
  if (x1 - x0 < 8) [x0, x1] = [MARGIN.left, plotRight()];
  return [clamp(x0, MARGIN.left, plotRight()), clamp(y0, MARGIN.top, plotBottom()),
    clamp(x1, MARGIN.left, plotRight()), clamp(y1, MARGIN.top, plotBottom())];
}

function hover(x, y, event) {
  const box = inPlot(x, y) ? boxAt(x, y) : null;
  state.hover = box ? box.record : -1;
  state.cursor = inTime(x) && y <= size.height - MARGIN.bottom ? toStep(x) : null;
  drawOverlay();
  if (box) showTip(event, tipOfRecord(box.record));
  else if (state.cursor !== null && y > MARGIN.top) showTip(event, tipOfStep(Math.floor(state.cursor)));
  else hideTip();
}

function leave() {
  state.hover = -1;
  state.cursor = null;
  hideTip();
  drawOverlay();
}
