// What can be done with a table of the report: sort it by the head of a column, show the rows with some words, copy what is
// shown. The report is complete without it.
(() => {
  "use strict";
  const missing = "–";
  // Shorter tables are read at a glance.
  const fewest = 6;
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

  // What is shown of a table, row by row, the heads first.
  const shown = (table) =>
    [table.tHead.rows[0], ...table.tBodies[0].rows]
      .filter((row) => !row.hidden)
      .map((row) => Array.from(row.cells, (cell) => cell.textContent.trim()));

  const csv = (table) => {
    const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    return shown(table).map((row) => `${row.map(quoted).join(",")}\n`).join("");
  };

  const latex = (table) => {
    const named = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" };
    const escaped = (text) => text.replace(/[\\~^&%$#_{}]/g, (sign) => named[sign] ?? `\\${sign}`);
    // A row that begins so would be taken for an argument of the one before it.
    const line = (row) => `${/^[[*(]/.test(row[0]) ? "{}" : ""}${row.map(escaped).join(" & ")} \\\\\n`;
    const [head, ...rows] = shown(table).map(line);
    const columns = Array.from(table.tHead.rows[0].cells, (cell) => (cell.classList.contains("n") ? "r" : "l")).join("");
    return `% \\usepackage{booktabs}\n\\begin{tabular}{${columns}}\n\\toprule\n${head}\\midrule\n${rows.join("")}\\bottomrule\n\\end{tabular}\n`;
  };

  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Where a document may not do that, a person who presses a button may.
      const area = document.createElement("textarea");
      area.className = "unseen";
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  };

  // A few words and, for those who hear them alone, which table they are about.
  const words = (text, table) => {
    const more = document.createElement("span");
    more.className = "unseen";
    more.textContent = ` of ${table.caption.textContent}`;
    return [text, more];
  };

  const tools = (table) => {
    const bar = document.createElement("div");
    bar.className = "tools screen";
    const said = document.createElement("span");
    said.setAttribute("role", "status");
    const rows = Array.from(table.tBodies[0].rows);
    if (rows.length >= fewest) {
      const label = document.createElement("label");
      const field = document.createElement("input");
      field.type = "search";
      label.append(...words("Rows with", table), " ", field);
      field.addEventListener("input", () => {
        const wanted = field.value.toLowerCase().split(/\s+/);
        for (const row of rows) {
          const text = row.textContent.toLowerCase();
          row.hidden = !wanted.every((word) => text.includes(word));
        }
        const count = rows.filter((row) => !row.hidden).length;
        said.textContent = count < rows.length ? `${count} of ${rows.length} rows` : "";
      });
      bar.append(label);
    }
    for (const [name, make] of [["CSV", csv], ["LaTeX", latex]]) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...words(`Copy as ${name}`, table));
      button.addEventListener("click", async () => {
        await copy(make(table));
        button.focus();
        said.textContent = `copied as ${name}`;
      });
      bar.append(button);
    }
    bar.append(said);
    return bar;
  };

  for (const table of document.querySelectorAll("main table")) {
    table.parentElement.before(tools(table));
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

  // Paper shows everything that is not filtered.
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details")) {
      details.open = true;
    }
  });
})();
