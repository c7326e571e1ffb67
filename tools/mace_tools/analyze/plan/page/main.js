// Puts the page together.
// SPDX-License-Identifier: Apache-2.0
function choose(k, scroll = false) {
  state.plan = k;
  state.view = null;
  drawAll();
  if (scroll) $("chart-card").scrollIntoView({ behavior: "smooth", block: "start" });
}

function pin(step) {
  state.step = step === null ? null : clamp(step, D.first, D.end - 1);
  drawLive();
  drawOverlay();
}

function point(record) {
  state.hover = record;
  drawOverlay();
}

function drawAll() {
  drawTiles();
  drawStrategies();
  drawSavings();
  drawLegend();
  drawLive();
  drawMinis();
  drawTable();
  drawChart();
}

function fitToWindow() {
  size.width = Math.max(480, $("chart").clientWidth);
  size.height = clamp(innerHeight - 330, 520, 900);
  requestDraw();
}

$("name").textContent = D.name;
$("summary").textContent = D.summary;
$("coloring").append(...D.colorings.map((c, k) => html("option", { value: k }, "by " + c.title)));
$("coloring").addEventListener("change", (event) => {
  state.coloring = Number(event.target.value);
  drawAll();
});
$("find").addEventListener("input", (event) => {
  state.find = event.target.value.trim().toLowerCase();
  drawChart();
});
$("in").addEventListener("click", () => zoom(.7));
$("out").addEventListener("click", () => zoom(1 / .7));
$("fit").addEventListener("click", () => show(whole(plan())));
$("to-peak").addEventListener("click", () => pin(null));
listenToPointer();
fitToWindow();
drawAll();
addEventListener("resize", fitToWindow);
