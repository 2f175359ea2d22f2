// Sorts the tables of the leaderboard: each group of rows by itself, and what is missing comes last.
"use strict";

for (const button of document.querySelectorAll(".sort")) {
  const header = button.closest("th");
  button.addEventListener("click", () => {
    const descending = header.getAttribute("aria-sort") !== "descending";
    for (const other of header.parentElement.children) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const column = header.cellIndex;
    const value = (row) => {
      const text = row.cells[column].dataset.value;
      return text === "" ? null : Number(text);
    };
    for (const body of header.closest("table").tBodies) {
      const rows = [...body.rows].filter((row) => !row.classList.contains("group"));
      rows.sort((one, other) => {
        const [a, b] = [value(one), value(other)];
        if (a === null || b === null) return (a === null) - (b === null);
        return descending ? b - a : a - b;
      });
      body.append(...rows);
    }
  });
}
