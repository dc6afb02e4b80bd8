// What the list shows and in which order; kept in the address, so that a view can be linked to.
const collator = new Intl.Collator("en", { numeric: true });
const SEVERITY = { block: 0, undecided: 1, pass: 2 };
const last = (value) => value || Infinity;

const SORTS = {
  verdict: { name: "verdict", by: (a, b) => SEVERITY[verdictOf(a)] - SEVERITY[verdictOf(b)] },
  id: { name: "conversation", by: (a, b) => collator.compare(idOf(a), idOf(b)) },
  label: { name: "label", by: (a, b) => collator.compare(labelOf(a), labelOf(b)) },
  first: { name: "first block", by: (a, b) => compare(last(a[F.first]), last(b[F.first])) },
  blocks: { name: "blocking turns", by: (a, b) => b[F.blocks] - a[F.blocks] },
  turns: { name: "turns", by: (a, b) => b[F.turns] - a[F.turns] },
  log: { name: "order of the log", by: () => 0 },
};

function compare(a, b) {
  return a === b ? 0 : a < b ? -1 : 1;
}

const DEFAULTS = { q: "", verdict: "", side: "", label: "", cue: "", sort: "verdict" };
let view = { ...DEFAULTS };
const lowered = rows.map((row) => idOf(row).toLowerCase());

function matches(place) {
  const row = rows[place];
  return (
    (!view.q || lowered[place].includes(view.q.toLowerCase())) &&
    (!view.verdict || view.verdict.split(",").includes(verdictOf(row))) &&
    (!view.side || sideOf(row) === view.side) &&
    (!view.label || labelOf(row) === view.label) &&
    (!view.cue || cuesOf(row).includes(view.cue))
  );
}

function chosen() {
  const descending = view.sort.startsWith("-");
  const { by } = SORTS[view.sort.replace("-", "")] ?? SORTS.verdict;
  const sign = descending ? -1 : 1;
  return [...rows.keys()].filter(matches).sort((a, b) => sign * by(rows[a], rows[b]) || a - b);
}

function viewOf(parameters) {
  const found = { ...DEFAULTS };
  for (const name of Object.keys(DEFAULTS)) found[name] = parameters.get(name) ?? found[name];
  if (!(found.sort.replace("-", "") in SORTS)) found.sort = DEFAULTS.sort;
  return found;
}

function addressOf(wanted) {
  const parts = Object.entries(wanted).filter(([name, value]) => value !== DEFAULTS[name]);
  return `#${parts.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&")}`;
}

function change(part) {
  view = { ...view, ...part };
  // Typing in a filter is not a place to go back to, so the address is replaced.
  history.replaceState(null, "", addressOf(view));
  showControls();
  showList();
}

function options(select, values, titleOf = () => null) {
  select.append(...values.map((value) => el("option", { value, title: titleOf(value) }, value)));
  select.closest("label").hidden = values.length === 0;
}

function showControls() {
  for (const name of ["q", "side", "label", "cue", "sort"]) {
    if (byId(name).value !== view[name]) byId(name).value = view[name];
  }
  const on = view.verdict ? view.verdict.split(",") : [];
  for (const input of document.querySelectorAll("input[name=verdict]")) {
    input.checked = on.includes(input.value);
  }
  byId("reset").disabled = addressOf(view) === "#";
}

function setUpFilters() {
  const spelled = (table, of) =>
    [...new Set([...meta[table], ...rows.flatMap(of)])].filter(Boolean).sort(collator.compare);
  options(
    byId("label"),
    spelled("labels", (row) => [labelOf(row)]),
  );
  options(byId("cue"), spelled("cues", cuesOf), meaningOf);
  for (const [name, { name: words }] of Object.entries(SORTS)) {
    byId("sort").append(
      el("option", { value: name }, words),
      el("option", { value: `-${name}` }, `${words}, reversed`),
    );
  }
  for (const name of ["side", "label", "cue", "sort"]) {
    byId(name).addEventListener("change", (event) => change({ [name]: event.target.value }));
  }
  byId("q").addEventListener("input", (event) => change({ q: event.target.value }));
  byId("reset").addEventListener("click", () => change(DEFAULTS));
  for (const input of document.querySelectorAll("input[name=verdict]")) {
    input.addEventListener("change", () => {
      const on = [...document.querySelectorAll("input[name=verdict]:checked")];
      change({ verdict: on.map((one) => one.value).join(",") });
    });
  }
}
