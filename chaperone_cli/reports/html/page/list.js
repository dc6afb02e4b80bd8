// The list of conversations; rows are drawn as far as the reader has come.
const EACH = 100;
const MOST_PRINTED = 2000;
let order = [];
let drawn = 0;
let selected = -1;

const HEADS = [
  ["verdict", "Verdict"],
  ["id", "Conversation"],
  ["first", "First block"],
  ["blocks", "Blocks"],
  ["turns", "Turns"],
  [null, "Scores"],
  [null, "Cues"],
];

function head() {
  const cells = HEADS.map(([sort, words]) =>
    el(
      "th",
      { scope: "col", class: `col-${words.split(" ")[0].toLowerCase()}`, "data-sort": sort },
      sort
        ? el(
            "button",
            { type: "button", click: () => sortBy(sort) },
            words,
            el("span", { class: "arrow", "aria-hidden": "true" }),
          )
        : words,
    ),
  );
  document.querySelector("#list thead tr").append(...cells);
}

function sortBy(sort) {
  change({ sort: view.sort === sort ? `-${sort}` : sort });
}

// Severity, turn and count columns name their first order after what a reader looks for first.
const FALLING = new Set(["blocks", "turns"]);

function showSort() {
  for (const cell of document.querySelectorAll("#list th[data-sort]")) {
    const name = cell.dataset.sort;
    const reversed = view.sort === `-${name}`;
    if (view.sort !== name && !reversed) cell.removeAttribute("aria-sort");
    else
      cell.setAttribute("aria-sort", reversed !== FALLING.has(name) ? "descending" : "ascending");
  }
}

const badge = (outcome) =>
  el("span", { class: `badge ${outcome.split(" ")[0]}` }, outcome);

function firstBlock(row) {
  if (!row[F.first]) return ["–"];
  return [
    el("span", { class: "at" }, `turn ${count(row[F.first])}, ${row[F.score]} of ${meta.passes}`),
    el("span", { class: `side ${sideOf(row)}` }, sideOf(row)),
  ];
}

function drawRow(place, position) {
  const row = rows[place];
  const label = labelOf(row);
  return el(
    "tr",
    { "data-place": place, "aria-rowindex": position + 2 },
    el("td", { class: "col-verdict" }, badge(outcomeOf(row))),
    el(
      "th",
      { scope: "row", class: "col-conversation" },
      el("a", { href: linkTo(place) }, el("bdi", {}, idOf(row))),
      el(
        "span",
        { class: "note", title: `${pathOf(row)}:${row[F.line]}` },
        label ? el("bdi", { class: "label" }, label) : "",
        row[F.partial] && row[F.first] ? el("span", { class: "label" }, "cut short") : "",
        el("bdi", {}, `${pathOf(row)}:${row[F.line]}`),
      ),
    ),
    el("td", { class: "col-first" }, ...firstBlock(row)),
    el("td", { class: "col-blocks", "data-name": "blocks" }, count(row[F.blocks])),
    el("td", { class: "col-turns", "data-name": "turns" }, count(row[F.turns])),
    el("td", { class: "col-scores" }, strip(row)),
    el("td", { class: "col-cues" }, ...cueChips(cuesOf(row), 3)),
  );
}

function cueChips(cues, most = Infinity) {
  const chips = cues
    .slice(0, most)
    .map((cue) => el("span", { class: "cue", title: meaningOf(cue) }, el("bdi", {}, cue)));
  if (cues.length > most) chips.push(el("span", { class: "note" }, `+${cues.length - most}`));
  return chips.flatMap((chip) => [chip, " "]);
}

function showList() {
  order = chosen();
  drawn = 0;
  select(-1);
  const body = document.querySelector("#list tbody");
  body.replaceChildren();
  byId("list").setAttribute("aria-rowcount", order.length + 1);
  byId("status").textContent =
    order.length === rows.length
      ? `All ${plural(rows.length, "conversation")}`
      : `${count(order.length)} of ${plural(rows.length, "conversation")}`;
  showSort();
  drawTo(EACH);
}

function drawTo(wanted) {
  const next = order.slice(drawn, wanted).map((place, i) => drawRow(place, drawn + i));
  document.querySelector("#list tbody").append(...next);
  drawn += next.length;
  byId("shown").textContent =
    drawn < order.length ? `${count(drawn)} of ${count(order.length)} shown.` : "";
  byId("more").hidden = drawn >= order.length;
}

function rowAt(position) {
  if (position >= drawn) drawTo(position + EACH);
  return document.querySelectorAll("#list tbody tr")[position] ?? null;
}

function select(position) {
  for (const row of document.querySelectorAll("#list tr.selected"))
    row.classList.remove("selected");
  selected = position;
  const row = position < 0 ? null : rowAt(position);
  if (!row) return;
  row.classList.add("selected");
  row.querySelector("a").focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}

function step(by) {
  if (order.length) select(Math.min(Math.max(selected + by, 0), order.length - 1));
}

function setUpList() {
  head();
  legend();
  byId("show-more").addEventListener("click", () => drawTo(drawn + EACH));
  whenNear(byId("more"), () => drawTo(drawn + EACH));
  document.querySelector("#list tbody").addEventListener("click", (event) => {
    const row = event.target.closest("tr");
    const busy = event.target.closest("a") || String(getSelection());
    if (row && !busy) location.hash = linkTo(Number(row.dataset.place));
  });
  addEventListener("beforeprint", () => drawTo(MOST_PRINTED));
}
