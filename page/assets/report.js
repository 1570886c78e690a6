// Sorts a table of the report when the head of a column is pressed. The report is complete without it.
(() => {
  "use strict";
  const missing = "–";
  const number = /^[<≥]?\s*(-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?)/;

  // A number, the lower end of an interval or the mean of a spread; otherwise the text.
  const value = (cell) => {
    const text = cell.textContent.trim();
    if (text === missing || text === "") {
      return null;
    }
    const found = number.exec(text);
    return cell.classList.contains("n") && found ? Number(found[1].replaceAll(",", "")) : text;
  };

  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });

  const sort = (table, place, head) => {
    const up = head.getAttribute("aria-sort") !== "ascending";
    for (const other of head.parentElement.children) {
      other.removeAttribute("aria-sort");
    }
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, (row) => [value(row.cells[place]), row]);
    // What is missing stays at the end either way; sorting is stable.
    rows.sort(([a], [b]) => {
      if (a === null || b === null) {
        return Number(a === null) - Number(b === null);
      }
      return up ? compare(a, b) : compare(b, a);
    });
    body.append(...rows.map(([, row]) => row));
  };

  for (const table of document.querySelectorAll("main table")) {
    Array.from(table.tHead.rows[0].cells).forEach((head, place) => {
      if (head.textContent.trim() === "") {
        return;
      }
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sort(table, place, head));
      head.append(button);
    });
  }

  // Paper shows everything.
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details")) {
      details.open = true;
    }
  });
})();
