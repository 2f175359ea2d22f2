// The page's script: draws the charts in the page's colours, and lets tables be sorted, sets chosen and systems hidden.
"use strict";

(() => {
  const root = document.documentElement;
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const NARROW = 560; // pixels

  for (const element of document.querySelectorAll(".needs-script")) element.hidden = false;

  // Charts ---------------------------------------------------------------------------------------------------------

  function colour(name) {
    const probe = document.createElement("span");
    probe.style.color = `var(--${name})`;
    root.append(probe);
    const computed = getComputedStyle(probe).color;
    probe.remove();
    return computed;
  }

  function axes(layout, colours) {
    const names = Object.keys(layout).filter((name) => /^[xy]axis\d*$/.test(name));
    return Object.fromEntries(names.map((name) => [name, axis(layout[name], colours)]));
  }

  function axis(given, colours) {
    const automargin = given.automargin ?? true;
    return { gridcolor: colours.grid, zerolinecolor: colours.grid, linecolor: colours.faint, ...given, automargin };
  }

  function themed(layout, colours, narrow) {
    const legend = { orientation: "h", x: 0, xanchor: "left", y: 1.02, yanchor: "bottom", font: { size: 11 }, maxheight: 9999 }; // all of it: nobody scrolls in print
    return {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      margin: { l: narrow ? 44 : 60, r: 12, t: 12, b: 44 },
      hovermode: "closest",
      dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom",
      ...layout,
      font: { family: getComputedStyle(document.body).fontFamily, size: narrow ? 11 : 12, color: colours.ink },
      hoverlabel: { align: "left", bgcolor: colours.ground, bordercolor: colours.faint, font: { color: colours.ink } },
      legend: { ...legend, ...layout.legend },
      ...axes(layout, colours),
    };
  }

  const hiddenSystems = new Set(); // names that a reader has switched off, in all charts and tables

  // The rows of a chart of dots move together where systems between them are hidden.
  function closeGaps(data, layout) {
    const { rows, gap } = layout.meta;
    const pixels = layout.height / (layout.yaxis.range[0] - layout.yaxis.range[1]);
    const moved = new Map();
    let [position, before] = [rows[0][0] - 1, rows[0][1]];
    rows.forEach(([from, system]) => {
      if (hiddenSystems.has(system)) return;
      position += system === before || moved.size === 0 ? 1 : 1 + gap;
      moved.set(from, position);
      before = system;
    });
    for (const trace of data) trace.y = trace.y.map((from) => moved.get(from) ?? null);
    const shown = rows.map(([from]) => moved.has(from));
    const last = rows.at(-1)[0];
    layout.yaxis.tickvals = [...moved.values()];
    layout.yaxis.ticktext = layout.yaxis.ticktext.filter((text, index) => shown[index]);
    layout.yaxis.range[0] -= last - position;
    layout.height = Math.max(120, Math.round(layout.height - pixels * (last - position)));
  }

  function draw(chart) {
    const plot = chart.querySelector(".plot");
    const colours = {};
    for (const name of ["ink", "faint", "grid", "ground"]) colours[name] = colour(name);
    const text = chart.querySelector("script").textContent;
    const { data, layout } = JSON.parse(text.replace(/"@(\w+)"/g, (all, name) => JSON.stringify(colours[name] ?? all)));
    const narrow = plot.clientWidth < NARROW;
    if (root.classList.contains("printed")) layout.width = plot.clientWidth; // Plotly would keep that of the screen
    data.forEach((trace, index) => {
      if (narrow && trace.colorbar) Object.assign(trace.colorbar, { orientation: "h", y: 1.02, yanchor: "bottom" });
      if (plot.data?.[index]?.visible === "legendonly") trace.visible = "legendonly"; // hidden by a click on the legend
      if (hiddenSystems.has(trace.meta?.system)) trace.visible = false;
    });
    if (layout.meta?.rows) {
      if (hiddenSystems.size) closeGaps(data, layout);
      plot.style.height = `${layout.height}px`;
    }
    const options = { displayModeBar: false, responsive: true }; // its buttons would cover the legend
    chart.dataset.drawn = "";
    Plotly.react(plot, data, themed(layout, colours, narrow), options);
    makeRoomForLegend(plot, layout.height);
  }

  const LEAST_PLOT = 280; // pixels below the legend, with the titles of the axes

  function makeRoomForLegend(plot, height) {
    const legend = plot.querySelector(".legend .bg")?.getBBox().height ?? 0;
    if (height >= legend + LEAST_PLOT) return;
    plot.style.height = `${legend + LEAST_PLOT}px`;
    Plotly.relayout(plot, { height: legend + LEAST_PLOT });
  }

  const charts = [...document.querySelectorAll(".chart")];
  const shown = (chart) => chart.offsetParent !== null;
  const seen = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (entry.isIntersecting && !("drawn" in entry.target.dataset)) draw(entry.target);
      }
    },
    { rootMargin: "600px" },
  );
  for (const chart of charts) seen.observe(chart);

  function drawAgain() {
    for (const chart of charts) if ("drawn" in chart.dataset && shown(chart)) draw(chart);
    for (const chart of charts) if (!shown(chart)) delete chart.dataset.drawn;
  }

  // Systems: hidden and shown in all charts, tables and players at once ----------------------------------------------

  const systems = document.getElementById("systems");

  function showSystems(boxes) {
    hiddenSystems.clear();
    for (const box of boxes) if (!box.checked) hiddenSystems.add(box.value);
    for (const element of document.querySelectorAll("[data-system]")) {
      element.toggleAttribute("data-off", hiddenSystems.has(element.dataset.system));
    }
    const all = hiddenSystems.size === 0;
    document.getElementById("systems-shown").textContent = all ? "all" : `${boxes.length - hiddenSystems.size} of ${boxes.length}`;
    drawAgain();
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
    drawAgain();
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
    drawAgain();
  });
  prefersDark.addEventListener("change", () => {
    nameButton();
    drawAgain();
  });
  nameButton();

  // Print: light, as wide as the paper, with every chart that is not folded away ------------------------------------

  let themeOnScreen;
  addEventListener("beforeprint", () => {
    themeOnScreen = root.dataset.theme;
    root.dataset.theme = "light";
    root.classList.add("printed");
    for (const chart of charts) if (shown(chart)) draw(chart);
  });
  addEventListener("afterprint", () => {
    root.classList.remove("printed");
    if (themeOnScreen) root.dataset.theme = themeOnScreen;
    else delete root.dataset.theme;
    drawAgain();
    for (const chart of charts) if (shown(chart)) Plotly.relayout(chart.querySelector(".plot"), { autosize: true });
  });

  // Sortable tables --------------------------------------------------------------------------------------------------

  function valueOf(row, column, kind) {
    const cell = row.cells[column];
    const text = cell.dataset.value ?? cell.textContent.trim().replace("\u2212", "-");
    if (kind === "text") return text;
    return text === "" ? NaN : Number(text);
  }

  function sort(header) {
    const table = header.closest("table");
    const down = header.ariaSort !== "descending" && (header.dataset.sort === "number" || header.ariaSort === "ascending");
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    header.ariaSort = down ? "descending" : "ascending";
    const [kind, sign] = [header.dataset.sort, down ? -1 : 1];
    const rows = [...table.tBodies[0].rows].map((row) => [valueOf(row, header.cellIndex, kind), row]);
    rows.sort(([a], [b]) => {
      if (kind === "text") return sign * a.localeCompare(b);
      if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b); // what is missing comes last
      return a === b ? 0 : sign * (a < b ? -1 : 1);
    });
    table.tBodies[0].append(...rows.map(([, row]) => row));
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
