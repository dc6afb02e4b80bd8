// The page of one conversation.
let open = -1;
let shownTimeline = null;
let listScroll = 0;

const facts = (pairs) =>
  el(
    "dl",
    { class: "facts" },
    ...pairs
      .filter(([, value]) => value !== "")
      .map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
  );

function ruleFacts(row) {
  const blocks = row[F.rules];
  if (!blocks) return [];
  return meta.rules
    .filter((rule) => rule in blocks)
    .map((rule) => [rule, blocks[rule] === null ? "no block" : `turn ${count(blocks[rule])}`]);
}

function factsOf(row) {
  const first = row[F.first]
    ? `turn ${count(row[F.first])}, ${sideOf(row)}, ${row[F.score]} of ${meta.passes}`
    : "none";
  const judged =
    row[F.judged] === row[F.turns]
      ? count(row[F.turns])
      : `${count(row[F.judged])} of ${count(row[F.turns])} judged`;
  return facts([
    ["first block", first],
    ["turns", judged],
    ["run", row[F.partial] || ""],
    ["screened out", screenedOf(row).length ? count(screenedTurns(row)) : ""],
    ["blocking", count(row[F.blocks])],
    ["undecided", row[F.undecided] ? count(row[F.undecided]) : ""],
    ["label", labelOf(row) ? el("bdi", {}, labelOf(row)) : ""],
    ["labelled onset", row[F.onset] ? `turn ${count(row[F.onset])}` : ""],
    ...ruleFacts(row),
    ["source", el("bdi", {}, `${pathOf(row)}:${row[F.line]}`)],
  ]);
}

function neighbours(place) {
  const position = order.indexOf(place);
  const link = (other, words, rel) =>
    other === undefined
      ? el("span", { class: "button off", "aria-hidden": "true" }, words)
      : el("a", { class: "button", rel, href: linkTo(other) }, words);
  return el(
    "nav",
    { class: "crumbs", "aria-label": "Conversations" },
    el("a", { class: "button", id: "back", href: addressOf(view) }, "← all conversations"),
    el(
      "span",
      { class: "note" },
      position < 0 ? "" : `${count(position + 1)} of ${count(order.length)} in the list`,
    ),
    link(order[position - 1], "‹ previous", "prev"),
    link(position < 0 ? undefined : order[position + 1], "next ›", "next"),
  );
}

// The whole conversation as a chart; a click goes to the turn in the timeline below.
function overviewStrip(row, place) {
  const { chart, turnAt } = numbered(strip(row, MOST_LARGE, 640), row);
  chart.classList.add("large");
  chart.addEventListener("click", (event) => {
    // The picture keeps its shape, so it may be narrower than the room it has.
    const { left, width, height } = chart.getBoundingClientRect();
    const [, , across, down] = chart.getAttribute("viewBox").split(" ").map(Number);
    const share = (event.clientX - left) / Math.min(width, (height * across) / down);
    if (share < 1) location.hash = linkTo(place, turnAt(share));
  });
  const jump = row[F.first]
    ? el(
        "a",
        { class: "button", id: "jump", href: linkTo(place, row[F.first]) },
        `◆ first block, turn ${row[F.first]}`,
      )
    : null;
  return el("div", { class: "strip-box" }, chart, jump);
}

function showConversation(place, turn) {
  const article = byId("conversation");
  if (open !== place) {
    if (open < 0) listScroll = scrollY;
    const row = rows[place];
    shownTimeline = timeline(place);
    const more = el(
      "button",
      { type: "button", class: "more-turns", click: () => drawMore(EACH) },
      "Show more turns",
    );
    more.hidden = shownTimeline.complete();
    article.replaceChildren(
      neighbours(place),
      el(
        "h1",
        { id: "conversation-title", tabindex: "-1" },
        el("bdi", {}, idOf(row)),
        " ",
        badge(outcomeOf(row)),
      ),
      factsOf(row),
      overviewStrip(row, place),
      el("h2", {}, "Turn by turn"),
      shownTimeline.turns.length
        ? ""
        : el("p", { class: "none" }, "No turn of this conversation was put to the vote."),
      shownTimeline.list,
      whenNear(more, () => drawMore(EACH)),
    );
    article.setAttribute("aria-labelledby", "conversation-title");
    open = place;
    swap(true);
    document.title = `${idOf(row)} · chaperone`;
    scrollTo(0, 0);
    if (!turn) byId("conversation-title").focus({ preventScroll: true });
  }
  if (turn) goToTurn(turn);
}

function drawMore(by) {
  if (!shownTimeline) return;
  const { list, drawUntil, complete } = shownTimeline;
  drawUntil(list.querySelectorAll(".turn[data-turn]").length + by);
  document.querySelector(".more-turns").hidden = complete();
}

function goToTurn(number) {
  const place = shownTimeline.turns.findIndex((turn) => turn.turn >= number);
  if (place < 0) return;
  drawMore(Math.max(0, place + EACH - shownTimeline.list.children.length));
  const item = byId(`t${shownTimeline.turns[place].turn}`);
  item.focus({ preventScroll: true });
  item.scrollIntoView({ block: "center" });
}

function stepTurn(by) {
  const here = document.activeElement?.closest?.(".turn[data-turn]");
  const turns = shownTimeline.turns;
  const place = here
    ? turns.findIndex((turn) => turn.turn === Number(here.dataset.turn)) + by
    : by > 0
      ? 0
      : turns.length - 1;
  if (turns[place]) goToTurn(turns[place].turn);
}

function closeConversation() {
  if (open < 0) return;
  const place = open;
  open = -1;
  shownTimeline = null;
  byId("conversation").replaceChildren();
  byId("conversation").removeAttribute("aria-labelledby");
  swap(false);
  document.title = title;
  scrollTo(0, listScroll);
  const position = order.indexOf(place);
  if (position >= 0 && position < drawn) select(position);
}

const title = document.title;
addEventListener("beforeprint", () => drawMore(Infinity));

function swap(reading) {
  byId("conversation").hidden = !reading;
  document.querySelector(".skip").hidden = reading;
  for (const id of ["overview", "problems", "conversations"]) {
    if (byId(id)) byId(id).hidden = reading;
  }
}
