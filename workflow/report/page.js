// The page's script: lets charts say their numbers, tables be sorted, sets chosen and systems hidden.
"use strict";

(() => {
  const root = document.documentElement;
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");

  for (const element of document.querySelectorAll(".needs-script")) element.hidden = false;

  // Charts: what they show stands where somebody points ------------------------------------------------------------

  const tip = document.createElement("div");
  tip.className = "tip";
  tip.popover = "manual";
  document.body.append(tip);
  for (const title of document.querySelectorAll(".chart title")) {
    title.parentNode.dataset.words = title.textContent;
    title.remove(); // a browser would show it, too, and later
  }
  document.addEventListener("pointerover", (event) => {
    const told = event.target.closest(".chart [data-words]");
    tip.togglePopover(Boolean(told));
    if (!told) return;
    tip.textContent = told.dataset.words;
    const left = Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 8);
    const top = event.clientY - tip.offsetHeight - 12;
    Object.assign(tip.style, { left: `${Math.max(8, left)}px`, top: `${top < 8 ? event.clientY + 16 : top}px` });
  });

  // Systems: hidden and shown in all charts, tables and players at once ----------------------------------------------

  const systems = document.getElementById("systems");

  function showSystems(boxes) {
    const hidden = new Set(boxes.filter((box) => !box.checked).map((box) => box.value));
    for (const element of document.querySelectorAll("[data-system]")) {
      element.toggleAttribute("data-off", hidden.has(element.dataset.system));
    }
    const all = hidden.size === 0;
    document.getElementById("systems-shown").textContent = all ? "all" : `${boxes.length - hidden.size} of ${boxes.length}`;
  }

  if (systems) {
    const boxes = [...systems.querySelectorAll("input")];
    for (const box of boxes) {
      box.checked = true; // whatever a browser remembers of an earlier visit
      box.addEventListener("change", () => showSystems(boxes));
    }
    for (const button of systems.querySelectorAll("button")) {
      button.addEventListener("click", () => {
        for (const box of boxes) box.checked = button.value === "all";
        showSystems(boxes);
      });
    }
  }

  // Views: what one reader needs, and everything. A link opens what it points to --------------------------------------

  const views = [...document.querySelectorAll(".views button")];
  const names = views.map((view) => view.value);

  function showView(name) {
    document.body.dataset.shows = name;
    for (const view of views) view.ariaPressed = String(view.value === name);
  }

  function open(fragment) {
    const name = decodeURIComponent(fragment.slice(1));
    if (names.includes(name)) return showView(name);
    const target = name && document.getElementById(name);
    if (!target) return;
    const needed = target.closest("[data-in]")?.dataset.in;
    if (names.indexOf(needed) > names.indexOf(document.body.dataset.shows)) showView(needed);
    const inside = target.matches("section") ? target.querySelector(":scope > details") : target;
    for (let fold = inside?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    target.scrollIntoView();
  }

  for (const view of views) {
    view.addEventListener("click", () => {
      history.replaceState(null, "", `#${view.value}`);
      showView(view.value);
    });
  }
  addEventListener("hashchange", () => open(location.hash));
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link) return;
    link.closest(".bar details")?.removeAttribute("open");
    if (link.hash === location.hash) open(link.hash); // which is no change of the fragment
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const fold of document.querySelectorAll(".bar details[open]")) {
      fold.open = false;
      fold.querySelector("summary").focus();
    }
  });

  // The contents follow ------------------------------------------------------------------------------------------------

  const here = document.getElementById("here");
  const passed = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        for (const link of document.querySelectorAll(".contents a")) {
          const isHere = link.hash === `#${entry.target.id}`;
          if (isHere) here.textContent = link.textContent;
          if (isHere) link.ariaCurrent = "true";
          else link.removeAttribute("aria-current");
        }
      }
    },
    { rootMargin: "-12% 0px -80% 0px" },
  );
  for (const section of document.querySelectorAll("main > section")) passed.observe(section);

  // Explanations stand below what they explain -------------------------------------------------------------------------

  for (const meaning of document.querySelectorAll("[popover]")) {
    meaning.addEventListener("toggle", (event) => {
      if (event.newState !== "open") return;
      const at = document.querySelector(`[popovertarget="${meaning.id}"]`).getBoundingClientRect();
      const [width, height] = [meaning.offsetWidth, meaning.offsetHeight];
      const left = Math.min(Math.max(8, at.left), document.documentElement.clientWidth - width - 8);
      const above = at.bottom + height + 12 > innerHeight && at.top > height + 12;
      Object.assign(meaning.style, { margin: "0", inset: "auto", left: `${left}px` });
      meaning.style.top = `${above ? at.top - height - 6 : Math.min(at.bottom + 6, innerHeight - height - 8)}px`;
    });
  }

  // A table that is wider than its frame says so --------------------------------------------------------------------

  const widths = new ResizeObserver((entries) => {
    for (const { target } of entries) target.toggleAttribute("data-wide", target.scrollWidth > target.clientWidth + 1);
  });
  for (const frame of document.querySelectorAll(".scroll")) widths.observe(frame);

  // Light and dark -------------------------------------------------------------------------------------------------

  const button = document.getElementById("theme");

  function isDark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches;
  }

  function nameButton() {
    button.textContent = isDark() ? "Light colours" : "Dark colours";
  }

  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    nameButton();
  });
  prefersDark.addEventListener("change", nameButton);
  nameButton();

  // Print is light --------------------------------------------------------------------------------------------------

  let themeOnScreen;
  addEventListener("beforeprint", () => {
    themeOnScreen = root.dataset.theme;
    root.dataset.theme = "light";
  });
  addEventListener("afterprint", () => {
    if (themeOnScreen) root.dataset.theme = themeOnScreen;
    else delete root.dataset.theme;
  });

  // Sortable tables --------------------------------------------------------------------------------------------------

  function textOf(row, column) {
    const cell = row.cells[column];
    return cell.dataset.value ?? cell.textContent.trim().replaceAll("\u2212", "-");
  }

  function sort(header) {
    const table = header.closest("table");
    const down = header.ariaSort !== "descending" && (header.dataset.sort === "number" || header.ariaSort === "ascending");
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    header.ariaSort = down ? "descending" : "ascending";
    const [kind, sign] = [header.dataset.sort, down ? -1 : 1];
    const rows = [...table.tBodies[0].rows].map((row) => {
      const text = textOf(row, header.cellIndex);
      return [kind === "text" || text === "" ? NaN : Number(text), text, row];
    });
    rows.sort(([a, words], [b, others]) => {
      if (Number.isNaN(a) && Number.isNaN(b)) return sign * words.localeCompare(others); // a column of words
      if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b); // what is missing comes last
      return a === b ? 0 : sign * (a < b ? -1 : 1);
    });
    table.tBodies[0].append(...rows.map(([, , row]) => row));
  }

  for (const header of document.querySelectorAll("th[data-sort]")) {
    const inner = document.createElement("button");
    inner.type = "button";
    inner.className = "sort";
    inner.append(...[...header.childNodes].filter((node) => !node.matches?.(".why, [popover]")));
    header.prepend(inner);
    inner.addEventListener("click", () => sort(header));
  }

  // Leaderboard: which set, which attacks ----------------------------------------------------------------------------

  const chosenSet = document.getElementById("choose-set");
  const chosenAttack = document.getElementById("choose-attack");

  function choose() {
    const [set, attack] = [chosenSet.value, chosenAttack.value];
    const unprotected = (row) => row.condition === "oo";
    document.getElementById("board").dataset.view = attack;
    const fits = (row) => attack === "every" || (attack === "strongest" ? "strongest" in row : row.attack === attack || unprotected(row));
    for (const element of document.querySelectorAll("[data-set]")) {
      const isRow = "attack" in element.dataset;
      element.hidden = element.dataset.set !== set || (isRow && !fits(element.dataset));
    }
  }

  if (chosenSet) {
    chosenSet.addEventListener("change", choose);
    chosenAttack.addEventListener("change", choose);
    chosenSet.form.reset(); // what a browser remembers of an earlier visit is not what the rows show
    choose();
  }
  open(location.hash);
})();
