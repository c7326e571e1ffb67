// Tables: a click on a heading sorts, a field above finds rows.
// SPDX-License-Identifier: Apache-2.0
const keyOf = (row, column) => {
  const cell = row.cells[column];
  return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
};

function compareKeys(a, b, sign) {
  if (a === "" || b === "") return (a === "") - (b === "");  // empty cells are last in any order
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  return sign * String(a).localeCompare(String(b), "en", { numeric: true });
}

// Numbers from the largest first, texts from A; the same heading again turns the order.
function sortBy(table, heading) {
  const column = heading.cellIndex, body = table.tBodies[0];
  const isNumber = heading.classList.contains("num");
  const before = heading.getAttribute("aria-sort");
  const order = before === null ? (isNumber ? "descending" : "ascending")
    : before === "ascending" ? "descending" : "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", order);
  const sign = order === "ascending" ? 1 : -1;
  const rows = [...body.rows].sort((a, b) =>
    compareKeys(keyOf(a, column), keyOf(b, column), sign));
  body.append(...rows);
}

function findRows(box, words) {
  const wanted = words.trim().toLowerCase();
  let shown = 0;
  const rows = [...box.querySelector("table").tBodies[0].rows];
  for (const row of rows) {
    row.hidden = !row.textContent.toLowerCase().includes(wanted);
    shown += row.hidden ? 0 : 1;
  }
  box.querySelector("output").textContent = wanted ? `${shown} of ${rows.length} rows` : "";
}

// Thousands of rows take seconds to lay out: they come when the table comes into view.
for (const body of document.querySelectorAll("tbody[data-packed]")) {
  const fill = async () => {
    watcher.disconnect();
    removeEventListener("beforeprint", fill);
    body.innerHTML = await unpacked(body);
    body.dataset.ready = body.rows.length;
  };
  const watcher = new IntersectionObserver((all) => all.some((e) => e.isIntersecting) && fill());
  watcher.observe(body.closest(".sortable"));
  addEventListener("beforeprint", fill);
}

for (const box of document.querySelectorAll(".sortable")) {
  for (const button of box.querySelectorAll("th button")) {
    button.addEventListener("click", () => sortBy(box.querySelector("table"), button.parentElement));
  }
  const field = box.querySelector("input[type=search]");
  if (field) field.addEventListener("input", () => findRows(box, field.value));
}
