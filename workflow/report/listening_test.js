// The page's script: plays, asks, keeps the place, and saves the answers as a file. Nothing is sent.
"use strict";

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (name) => document.getElementById(name);
  const isPair = !byId("slider");
  const LETTERS = "ABCDEFGHIJKLMNOPQSTUVWXYZ"; // R plays the reference
  const player = new Audio();
  const store = keptStore();
  let state = null; // { listener, equipment, started, order, answers: [...] }
  let screen = null; // what is on the screen: { index, began, rows: [{ code, sound, plays, rating, button }] }
  let playing = null; // the button whose sound is heard

  // Order: the same for a listener whenever the page is opened --------------------------------------------------------

  function generator(text) {
    let seed = 2166136261; // FNV-1a
    for (const sign of text) seed = Math.imul(seed ^ sign.codePointAt(0), 16777619);
    return () => { // mulberry32
      seed = (seed + 0x6d2b79f5) | 0;
      let value = Math.imul(seed ^ (seed >>> 15), 1 | seed);
      value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
      return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
    };
  }

  function shuffled(values, random) {
    const cards = [...values];
    for (let last = cards.length - 1; last > 0; last -= 1) {
      const other = Math.floor(random() * (last + 1));
      [cards[last], cards[other]] = [cards[other], cards[last]];
    }
    return cards;
  }

  function isCode(text) {
    const numbers = [...text].map((sign) => data.signs.indexOf(sign));
    if (numbers.length !== 6 || numbers.includes(-1)) return false;
    const total = numbers.slice(0, 5).reduce((sum, number, k) => sum + (k + 1) * number, data.page);
    return total % data.signs.length === numbers[5];
  }

  // The place is kept in this browser, where it lets a page keep something ---------------------------------------------

  function keptStore() {
    const name = (listener) => `listening-test ${data.test} ${listener}`;
    return {
      read(listener) {
        try { return JSON.parse(localStorage.getItem(name(listener))); } catch { return null; }
      },
      write(kept) {
        try { localStorage.setItem(name(kept.listener), JSON.stringify(kept)); } catch { /* it is not kept */ }
      },
    };
  }

  // Playing ------------------------------------------------------------------------------------------------------------

  function stop() {
    player.pause();
    if (playing) {
      delete playing.dataset.playing;
      playing.setAttribute("aria-pressed", "false");
    }
    playing = null;
  }

  function play(button, sound, heard = () => {}) {
    const again = playing === button;
    stop();
    if (again) return;
    playing = button;
    button.dataset.playing = "";
    button.setAttribute("aria-pressed", "true");
    player.src = sound;
    player.onended = () => { heard(); stop(); };
    player.play().catch(() => { if (playing === button) stop(); });
  }

  // Screens ------------------------------------------------------------------------------------------------------------

  function show(name) {
    for (const part of ["start", "screen", "end"]) byId(part).hidden = part !== name;
    scrollTo(0, 0);
  }

  function addPlayer(name, row) {
    const element = byId("player").content.cloneNode(true).firstElementChild;
    row.button = element.querySelector("button");
    row.button.querySelector(".name").textContent = name;
    row.button.setAttribute("aria-pressed", "false");
    row.button.addEventListener("click", () => play(row.button, row.sound, () => { row.plays += 1; row.button.classList.add("heard"); }));
    byId("recordings").append(element);
    return element;
  }

  function addSlider(element, name, row) {
    const rating = byId("slider").content.cloneNode(true).firstElementChild;
    const [range, number] = [rating.querySelector("input"), rating.querySelector("output")];
    range.value = (data.lowest + data.highest) / 2;
    range.setAttribute("aria-label", `Rating of ${name}`);
    range.setAttribute("aria-valuetext", "not rated yet");
    rating.classList.add("unrated");
    number.textContent = "\u2013";
    const rated = () => {
      row.rating = Number(range.value);
      number.textContent = row.rating;
      range.setAttribute("aria-valuetext", `${row.rating}`);
      rating.classList.remove("unrated");
    };
    for (const event of ["input", "change", "pointerup"]) range.addEventListener(event, rated);
    element.append(rating);
    row.range = range;
  }

  function next() {
    const index = state.order[state.screens];
    if (index === undefined) return finish();
    const { reference, recordings } = data.screens[index];
    const random = generator(`${data.test} ${state.listener} ${index}`);
    const first = { sound: reference, plays: 0 };
    screen = { began: Date.now(), reference: first, rows: [] };
    byId("recordings").replaceChildren();
    byId("recordings").classList.toggle("rated", !isPair);
    addPlayer(isPair ? "Play A" : "Reference", first).classList.add("reference");
    shuffled(recordings, random).forEach(({ code, sound }, k) => {
      const letter = LETTERS[isPair ? k + 1 : k];
      const row = { code, sound, plays: 0, rating: null };
      const element = addPlayer(`Play ${letter}`, row);
      if (!isPair) addSlider(element, letter, row);
      screen.rows.push(row);
    });
    for (const choice of document.querySelectorAll("[name=rating]")) choice.checked = false;
    byId("missing").textContent = "";
    byId("progress").value = state.screens;
    byId("position").textContent = `${state.screens + 1} of ${data.screens.length}`;
    show("screen");
    byId("question").focus();
  }

  function missing() {
    const unheard = [screen.reference, ...screen.rows].filter((row) => row.plays === 0);
    if (unheard.length) {
      const names = unheard.map((row) => row.button.innerText.trim().replace("Play ", "")).join(", ");
      return `Please listen to the end of: ${names}.`;
    }
    if (screen.rows.some((row) => row.rating === null)) {
      return isPair ? "Please choose an answer." : "Please move every slider, also where the middle is right.";
    }
    return "";
  }

  function answer(event) {
    event.preventDefault();
    if (isPair) {
      const choice = document.querySelector("[name=rating]:checked");
      screen.rows[0].rating = choice ? Number(choice.value) : null;
    }
    byId("missing").textContent = missing();
    if (byId("missing").textContent) return;
    stop();
    state.screens += 1;
    const seconds = Math.round((Date.now() - screen.began) / 100) / 10;
    for (const { code, rating, plays } of screen.rows) {
      state.answers.push({ code, rating, screen: state.screens, plays, reference_plays: screen.reference.plays, seconds });
    }
    store.write(state);
    next();
  }

  function begin(event) {
    event.preventDefault();
    const listener = byId("listener").value.toLowerCase().replace(/[\s-]/g, "");
    const equipment = document.querySelector("[name=equipment]:checked")?.value;
    const slip = !equipment
      ? "Please say what you listen with."
      : isCode(listener) ? "" : "This is not a code for this page. Please look at it again.";
    byId("slip").textContent = slip;
    if (slip) return;
    stop();
    const order = shuffled(data.screens.keys(), generator(`${data.test} ${listener}`));
    const fresh = { listener, equipment, started: new Date().toISOString(), screens: 0, answers: [] };
    state = { ...(store.read(listener) ?? fresh), order };
    next();
  }

  function finish() {
    state.finished ??= new Date().toISOString();
    store.write(state);
    const { listener, equipment, started, finished, answers } = state;
    const saved = { format: 1, test: data.test, page: data.page, listener, equipment, started, finished, answers };
    const file = new Blob([`${JSON.stringify(saved, null, 1)}\n`], { type: "application/json" });
    const link = byId("download");
    link.href = URL.createObjectURL(file);
    link.download = `answers_${listener}.json`;
    link.onclick = () => { byId("saved").textContent = `Saved as ${link.download}.`; };
    show("end");
    document.querySelector("#end h1").focus();
  }

  // Keys ---------------------------------------------------------------------------------------------------------------

  function pressed(event) {
    const isTyping = event.target.matches("input[type=text]") || event.ctrlKey || event.metaKey || event.altKey;
    if (byId("screen").hidden || isTyping) return;
    const key = event.key.toUpperCase();
    const rows = isPair ? [screen.reference, ...screen.rows] : screen.rows;
    const named = key === "R" && !isPair ? screen.reference : rows[key.length === 1 ? LETTERS.indexOf(key) : -1];
    if (named) named.button.click();
    const choice = isPair && /^[1-9]$/.test(key) && document.querySelector(`[name=rating][value="${key}"]`);
    if (choice) choice.checked = true;
    const isButton = event.target.matches("button, a");
    if (key === "ENTER" && !isButton && !event.target.matches("input")) byId("screen").requestSubmit();
  }

  byId("volume").addEventListener("click", () => play(byId("volume"), data.volume));
  byId("volume").setAttribute("aria-pressed", "false");
  byId("start").addEventListener("submit", begin);
  byId("screen").addEventListener("submit", answer);
  document.addEventListener("keydown", pressed);
  addEventListener("beforeunload", (event) => {
    if (state && !byId("screen").hidden && state.answers.length) event.preventDefault();
  });
  byId("unplayable").hidden = player.canPlayType('audio/ogg; codecs="opus"') !== "";
  show("start");
})();
