"use strict";
(() => {
  const PAGE = 25, MOST_CHECKS = 6;
  const by = (id) => document.getElementById(id);
  const data = JSON.parse(by("data").textContent);
  const C = data.columns, N = data.names, COUNT = C.run.length;

  /** An element; text is set as text, so nothing in the data is ever read as markup. */
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children.filter((child) => child !== null).map((child) => (child instanceof Node ? child : String(child))));
    return element;
  }
  /** A name that may break after its underscores. */
  function breakable(text) {
    const part = document.createDocumentFragment();
    for (const piece of text.split(/(?<=_)/)) part.append(piece, document.createElement("wbr"));
    return part;
  }
  const integer = new Intl.NumberFormat("en");
  const percent = (value) => (value === null ? "–" : (100 * value).toFixed(0));
  const decimal = (value) => (Number.isInteger(value) ? integer.format(value) : value.toFixed(1));

  // -- theme

  const root = document.documentElement, theme = by("theme");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  const nameTheme = () => { theme.textContent = isDark() ? "Light" : "Dark"; theme.setAttribute("aria-label", `Switch to ${isDark() ? "light" : "dark"} colours`); };
  theme.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; nameTheme(); });
  nameTheme();

  // -- one row a run and task

  const groups = new Map();
  for (let i = 0; i < COUNT; i++) {
    const key = C.run[i] * N.task.length + C.task[i];
    if (groups.has(key)) groups.get(key).push(i);
    else groups.set(key, [i]);
  }
  const mean = (places, column) => (places.length ? places.reduce((sum, i) => sum + column[i], 0) / places.length : null);
  const rows = [...groups.values()].map((places) => {
    const first = places[0], scored = places.filter((i) => C.status[i]);
    const optimal = scored.filter((i) => C.clean[i] && C.optimality[i] !== null);
    const rules = new Map();
    for (const i of scored) for (const rule of C.rules[i]) rules.set(rule, (rules.get(rule) || 0) + 1);
    const solved = scored.filter((i) => C.status[i] === 2).length;
    const failed = [...rules].sort((a, b) => b[1] - a[1]).map(([rule]) => N.rule[rule]);
    const row = {
      places, scored: scored.length, solved, failed,
      run: data.runs[C.run[first]], task: N.task[C.task[first]], tier: N.tier[C.tier[first]], pattern: N.pattern[C.pattern[first]],
      rate: scored.length ? solved / scored.length : null,
      score: mean(scored, C.score), clean: mean(scored, C.clean), optimality: mean(optimal, C.optimality),
      calls: mean(scored, C.calls), oracle: C.oracle[first], turns: mean(scored, C.turns), tokens: mean(scored, C.tokens), cost: mean(scored, C.cost),
      masked: places.length - scored.length, episode: places.some((i) => C.episode[i] >= 0),
    };
    row.text = `${row.task} ${row.pattern} ${failed.join(" ")}`.toLowerCase();
    return row;
  });

  const tierOrder = new Map(N.tier.map((tier, place) => [tier, place]));
  const some = (name) => C[name].some((value) => value);
  const columns = [
    { name: "task", label: "Task", text: true },
    data.runs.length > 1 ? { name: "run", label: "Run", text: true } : null,
    { name: "tier", label: "Tier", text: true, order: (row) => tierOrder.get(row.tier) },
    { name: "pattern", label: "Pattern", text: true },
    { name: "rate", label: "Solved", show: (row) => (row.scored ? `${row.solved}/${row.scored}` : "masked") },
    { name: "score", label: "Score", show: (row) => percent(row.score) },
    { name: "clean", label: "Clean", show: (row) => percent(row.clean) },
    C.optimality.some((value) => value !== null) ? { name: "optimality", label: "Optimality", show: (row) => percent(row.optimality) } : null,
    { name: "calls", label: "Calls", show: (row) => (row.calls === null ? "–" : `${decimal(row.calls)} of ${row.oracle}`) },
    { name: "turns", label: "Turns", show: (row) => (row.turns === null ? "–" : decimal(row.turns)) },
    some("tokens") ? { name: "tokens", label: "Tokens", show: (row) => (row.tokens === null ? "–" : integer.format(Math.round(row.tokens))) } : null,
    some("cost") ? { name: "cost", label: "Cost, $", show: (row) => (row.cost === null ? "–" : row.cost.toFixed(4)) } : null,
    { name: "failed", label: "Failed rules", text: true, order: (row) => row.failed.length, show: (row) => ruleText(row.failed) },
  ].filter(Boolean);
  const ruleText = (rules, most = 2) => (rules.length > most + 1 ? `${rules.slice(0, most).join(", ")} and ${rules.length - most} more` : rules.join(", "));

  // -- filters, sorting, pages

  const state = { sort: "rate", down: false, page: 0, shown: rows };
  const selects = { run: by("by-run"), tier: by("by-tier"), pattern: by("by-pattern") };
  for (const [name, select] of Object.entries(selects)) {
    const values = name === "run" ? data.runs : N[name];
    select.append(make("option", { value: "" }, "any"), ...values.map((value) => make("option", { value }, value || "none")));
    if (values.length < 2) select.parentElement.hidden = true, (select.parentElement.style.display = "none");
  }
  if (!rows.some((row) => row.episode)) by("by-episode").parentElement.style.display = "none";

  const outcomes = {
    never: (row) => row.scored && row.solved === 0, always: (row) => row.scored && row.solved === row.scored,
    sometimes: (row) => row.solved > 0 && row.solved < row.scored, masked: (row) => row.masked > 0,
  };
  function filter() {
    const words = by("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const outcome = outcomes[by("by-outcome").value], episode = by("by-episode").checked;
    state.shown = rows.filter((row) =>
      words.every((word) => row.text.includes(word)) && (!outcome || outcome(row)) && (!episode || row.episode) &&
      Object.entries(selects).every(([name, select]) => !select.value || row[name] === select.value));
    state.page = 0;
    sort();
  }
  function sort() {
    const column = columns.find((each) => each.name === state.sort), value = column.order || ((row) => row[column.name]);
    const sign = state.down ? -1 : 1;
    state.shown.sort((a, b) => {
      const x = value(a), y = value(b);
      if (x === y) return a.places[0] - b.places[0];
      if (x === null || y === null) return x === null ? 1 : -1;
      return sign * (typeof x === "string" ? x.localeCompare(y) : x - y);
    });
    draw();
  }

  const head = document.querySelector("#task-table thead tr"), body = document.querySelector("#task-table tbody");
  for (const column of columns) {
    const button = make("button", { type: "button" }, column.label);
    button.addEventListener("click", () => {
      state.down = state.sort === column.name ? !state.down : false;
      state.sort = column.name;
      state.page = 0;
      sort();
    });
    head.append(make("th", { scope: "col", class: column.text ? "text" : "", "data-column": column.name }, button));
  }
  function draw() {
    const start = state.page * PAGE, end = Math.min(start + PAGE, state.shown.length);
    for (const cell of head.children) {
      if (cell.dataset.column === state.sort) cell.setAttribute("aria-sort", state.down ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    }
    body.replaceChildren(...state.shown.slice(start, end).map(line));
    by("count").textContent = rows.length === 0 ? "There are no trials."
      : state.shown.length === 0 ? "No task fits." : `${integer.format(state.shown.length)} of ${integer.format(rows.length)} line${rows.length === 1 ? "" : "s"}`;
    by("page").textContent = state.shown.length ? `${integer.format(start + 1)}–${integer.format(end)}` : "";
    by("previous").disabled = state.page === 0;
    by("next").disabled = end >= state.shown.length;
    document.querySelector(".pager").style.display = state.shown.length > PAGE ? "" : "none";
  }
  function line(row) {
    const open = make("button", { type: "button", class: "open", "aria-expanded": "false" }, row.task.slice(0, 16));
    const cells = columns.map((column) => {
      if (column.name === "task") return make("th", { scope: "row", class: "text" }, open);
      const kind = column.name === "failed" ? "text rules" : column.text ? `text ${column.name}` : column.name !== "rate" ? "" : row.rate === 1 ? "solved" : row.rate === 0 ? "failed" : "";
      return make("td", { class: kind }, column.text ? breakable(column.show ? column.show(row) : row[column.name]) : column.show(row));
    });
    const element = make("tr", {}, ...cells);
    open.addEventListener("click", () => {
      const isOpen = open.getAttribute("aria-expanded") === "true";
      open.setAttribute("aria-expanded", String(!isOpen));
      if (isOpen) element.nextSibling.remove();
      else element.after(make("tr", { class: "more" }, make("td", { colspan: columns.length }, details(row))));
    });
    return element;
  }
  function details(row) {
    const lines = row.places.map((i) => {
      const outcome = ["masked", "failed", "solved"][C.status[i]];
      const read = C.episode[i] < 0 ? null : make("button", { type: "button", class: "toggle" }, "Read episode");
      if (read) read.addEventListener("click", () => view(C.episode[i]));
      const words = C.status[i] ? ruleText(C.rules[i].map((rule) => N.rule[rule]), 6) : data.reasons[i] || "";
      return make("tr", {}, make("th", { scope: "row" }, `Trial ${C.trial[i]}`), make("td", { class: outcome }, outcome),
        make("td", {}, C.status[i] ? `score ${percent(C.score[i])}` : ""), make("td", {}, C.status[i] ? `${C.calls[i]} calls` : ""), make("td", { class: "words" }, words), make("td", {}, read || ""));
    });
    return make("table", { "aria-label": `Trials of task ${row.task}` }, make("tbody", {}, ...lines));
  }
  by("filters").addEventListener("input", filter);
  by("filters").addEventListener("submit", (event) => event.preventDefault());
  by("previous").addEventListener("click", () => { state.page--; draw(); });
  by("next").addEventListener("click", () => { state.page++; draw(); });
  filter();

  // -- episodes

  const viewer = by("viewer");
  const trialOf = new Map(C.episode.map((episode, i) => [episode, i]).filter(([episode]) => episode >= 0));
  const canonical = (value) => JSON.stringify(value, (_, inner) =>
    inner && typeof inner === "object" && !Array.isArray(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner);

  /** JSON on one line that can be broken after its commas. */
  const spaced = (value) => JSON.stringify(value, null, 1).replace(/\n\s*/g, " ").replace(/([[{]) /g, "$1").replace(/ ([\]}])/g, "$1");

  /** The calls in an action, or null where it is plain text. */
  function callsIn(action) {
    try {
      const value = JSON.parse(action), list = Array.isArray(value) ? value : [value];
      return list.length && list.every((call) => call && typeof call.name === "string") ? list : null;
    } catch { return null; }
  }
  function block(text, kind = "") {
    const pre = make("pre", { class: kind }, text);
    if (text.length < 700 && text.split("\n").length < 10) return pre;
    pre.classList.add("long");
    const toggle = make("button", { type: "button", class: "toggle", "aria-expanded": "false" }, "Show all");
    toggle.addEventListener("click", () => {
      const all = pre.classList.toggle("all");
      toggle.textContent = all ? "Show less" : "Show all";
      toggle.setAttribute("aria-expanded", String(all));
    });
    return make("div", {}, pre, toggle);
  }
  const isRefused = (text) => /^\s*\{\s*"(error|code)"/.test(text) || /"error":\s*\{/.test(text.slice(0, 200));

  function step([action, observation, times], place, all) {
    const first = 1 + all.slice(0, place).reduce((sum, each) => sum + each[2], 0);
    const calls = callsIn(action);
    const said = calls ? calls.map((call) => named(call)) : [block(action === "" ? "(nothing)" : action)];
    const numbers = make("span", { class: "number" }, times > 1 ? `${first}–${first + times - 1}` : first);
    if (times > 1) said.push(make("p", { class: "muted" }, `the same ${integer.format(times)} times`));
    return make("li", {}, numbers, ...said, block(observation, isRefused(observation) ? "reply refused" : "reply"));
  }
  function named(call) {
    const given = call.arguments ?? {}, empty = Object.keys(given).length === 0;
    return make("div", {}, make("span", { class: "call" }, call.name), empty ? "" : block(spaced(given)));
  }
  function check([rule, dimension, message, expected, actual]) {
    return make("div", { class: "check-item" }, make("p", {}, make("span", { class: "failed" }, breakable(rule)), ` ${dimension}`),
      message ? make("p", {}, message) : null,
      make("p", { class: "muted" }, [expected && `expected ${expected}`, actual && `found ${actual}`].filter(Boolean).join(", ")));
  }
  function verdict(episode) {
    const facts = make("dl", { class: "facts" });
    const fact = (name, value) => facts.append(make("dt", {}, name), make("dd", {}, value));
    fact("Outcome", make("span", { class: episode.success ? "solved" : "failed" }, episode.success ? "solved" : "failed"));
    fact("Reward", episode.reward.toFixed(3));
    fact("Ended", episode.ended);
    fact("Checks", `${episode.passed} passed, ${episode.failed.length} failed`);
    for (const [name, value] of Object.entries(episode.scores)) fact(name, `${(100 * value).toFixed(0)} %`);
    if (episode.gates.length) fact("Gates", episode.gates.join(", "));
    const errors = Object.entries(episode.errors).map(([code, count]) => `${code} ${count}`).join(", ");
    if (errors) fact("Refused calls", errors);
    const checks = episode.failed.map(check), more = checks.slice(MOST_CHECKS);
    if (more.length === 0) return [facts, ...checks];
    return [facts, ...checks.slice(0, MOST_CHECKS), make("details", {}, make("summary", {}, `${more.length} more failed checks`), ...more)];
  }
  let current = -1;
  function view(number) {
    const episode = JSON.parse(by(`episode-${number}`).textContent), i = trialOf.get(number);
    current = number;
    by("viewer-title").textContent = `${N.pattern[C.pattern[i]] || "Task"}, ${N.tier[C.tier[i]]}`;
    by("viewer-facts").textContent = `${data.runs[C.run[i]]} · task ${N.task[C.task[i]]} · trial ${C.trial[i]} · ${integer.format(C.turns[i])} steps, reference ${episode.oracle.length}`;
    by("viewer-brief").replaceChildren(...(episode.policy ? [block(episode.policy)] : []), block(episode.brief));
    by("viewer-steps").replaceChildren(...episode.steps.map(step));
    by("viewer-verdict").replaceChildren(...verdict(episode));
    const made = new Set(episode.steps.flatMap(([action]) => (callsIn(action) || []).map((call) => canonical([call.name, call.arguments ?? {}]))));
    by("viewer-oracle").replaceChildren(...episode.oracle.map(([name, given]) => {
      let same = false;
      try { same = made.has(canonical([name, JSON.parse(given)])); } catch { /* cut short */ }
      const item = make("li", same ? { class: "made" } : {}, make("span", { class: "call" }, name), given === "{}" ? "" : block(given));
      if (same) item.append(make("span", { class: "skip" }, "made by the agent"));
      return item;
    }));
    by("viewer-previous").disabled = number === 0;
    by("viewer-next").disabled = number === trialOf.size - 1;
    if (!viewer.open) viewer.showModal();
    for (const part of [viewer.querySelector(".columns"), ...viewer.querySelector(".columns").children]) part.scrollTop = 0;
    history.replaceState(null, "", `#episode=${number}`);
  }
  by("viewer-previous").addEventListener("click", () => view(current - 1));
  by("viewer-next").addEventListener("click", () => view(current + 1));
  by("viewer-close").addEventListener("click", () => viewer.close());
  viewer.addEventListener("close", () => history.replaceState(null, "", location.pathname + location.search));
  function follow() {
    const linked = /^#episode=(\d+)$/.exec(location.hash);
    if (linked && trialOf.has(Number(linked[1]))) view(Number(linked[1]));
  }
  addEventListener("hashchange", follow);
  follow();
})();
