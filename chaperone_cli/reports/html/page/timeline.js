// One conversation turn by turn: votes, verdict, and what the votes rest on.
const SIGNS = { yes: "●", no: "○" };
const reason = (vote) => vote.replaceAll("_", " ");

function votesOf(turn) {
  const said = turn.votes.map(
    (vote, place) => `vote ${place + 1} ${vote in SIGNS ? vote : `abstained: ${reason(vote)}`}`,
  );
  const pips = turn.votes.map((vote, place) =>
    el(
      "span",
      { class: `pip ${vote in SIGNS ? vote : "abstain"}`, title: said[place] },
      SIGNS[vote] ?? "?",
    ),
  );
  const missing = meta.passes - turn.votes.length;
  if (missing > 0)
    pips.push(
      el(
        "span",
        { class: "pip saved", title: `${plural(missing, "vote")} not needed` },
        "·".repeat(missing),
      ),
    );
  return el(
    "span",
    { class: "votes" },
    el(
      "span",
      { class: "unseen" },
      `${said.join(", ")}${missing > 0 ? `; ${plural(missing, "vote")} not needed` : ""}`,
    ),
    el("span", { class: "pips", "aria-hidden": "true" }, ...pips),
    el("span", { class: "score" }, el("b", {}, String(turn.score)), ` of ${meta.passes}`),
  );
}

function abstentionsOf(turn) {
  const reasons = turn.votes.filter((vote) => !(vote in SIGNS)).map(reason);
  const counts = new Map();
  for (const each of reasons) counts.set(each, (counts.get(each) ?? 0) + 1);
  const words = [...counts].map(([each, times]) => `${times} ${each}`).join(", ");
  return words ? el("p", { class: "note" }, `abstained: ${words}`) : null;
}

// A passage that many turns rest on is quoted in full where it is first cited.
function passage(place, turn, span, cited) {
  const number = span.turn === turn.turn ? "this turn" : `turn ${span.turn}`;
  const where = span.side ? `${number}, ${span.side}` : number;
  const link =
    span.turn === turn.turn
      ? el("span", {}, where)
      : el("a", { href: linkTo(place, span.turn) }, where);
  const position = el(
    "span",
    { class: "note" },
    `characters ${count(span.start)} to ${count(span.end)}`,
  );
  const again = cited.has(span.key);
  cited.add(span.key);
  if (span.quote === null) return [link, ", ", position];
  const quote = el(
    "span",
    { class: again ? "quote again" : "quote full", title: again ? span.quote : null },
    el("bdi", {}, `“${span.quote}”`),
  );
  return again ? [link, " ", quote] : [link, ", ", position, quote];
}

// Votes that rest on the same cues and passage share a line, in whatever order they weighed them.
function merged(evidence) {
  const lines = new Map();
  for (const each of evidence) {
    const key = JSON.stringify([[...each.cues].sort(), each.span?.key]);
    const known = lines.get(key);
    if (known) known.passes = [...known.passes, ...each.passes].sort((a, b) => a - b);
    else lines.set(key, { ...each });
  }
  return [...lines.values()];
}

function evidenceList(place, turn, cited) {
  if (!turn.evidence.length) return null;
  const items = merged(turn.evidence).map(({ passes, cues, span }) =>
    el(
      "li",
      {},
      el(
        "span",
        { class: "passes" },
        `${passes.length === 1 ? "vote" : "votes"} ${passes.join(", ")}`,
      ),
      el(
        "span",
        { class: "rests" },
        ...cueChips(cues),
        ...(span ? passage(place, turn, span, cited) : []),
      ),
    ),
  );
  return el("ul", { class: "evidence" }, ...items);
}

function explanation(place, turn, cited) {
  const why = whyOf(rows[place]);
  if (why?.turn !== turn.turn) return null;
  const shown = why.span ? [" ", ...passage(place, turn, why.span, cited)] : [];
  return el(
    "p",
    { class: "why" },
    el("b", {}, "Why it blocks "),
    el("bdi", {}, why.reason),
    ...shown,
  );
}

function turnItem(place, turn, cited) {
  const marks = [];
  if (turn.first) marks.push(el("span", { class: "mark-first" }, "first block"));
  if (turn.turn === rows[place][F.onset])
    marks.push(el("span", { class: "mark-onset" }, "labelled onset"));
  return el(
    "li",
    {
      id: `t${turn.turn}`,
      class: `turn ${turn.verdict}${turn.first ? " first" : ""}`,
      tabindex: "-1",
      "data-turn": turn.turn,
    },
    el(
      "div",
      { class: "turn-head" },
      el(
        "a",
        { class: "turn-number", href: linkTo(place, turn.turn), "aria-label": `turn ${turn.turn}` },
        String(turn.turn),
      ),
      el("span", { class: `side ${turn.side}` }, turn.side),
      votesOf(turn),
      badge(turn.verdict),
      ...marks,
    ),
    explanation(place, turn, cited),
    abstentionsOf(turn),
    evidenceList(place, turn, cited),
  );
}

function gap(first, until, why) {
  const words = first === until ? `turn ${first} was ${why}` : `turns ${first} to ${until} were ${why}`;
  return el("li", { class: "turn gap" }, words);
}

// The turns without a vote from one to another: screened out by the run, or not judged at all.
function gaps(row, first, until) {
  const found = [];
  let next = first;
  for (const [start, end] of screenedOf(row)) {
    const [from, to] = [Math.max(start, next), Math.min(end, until)];
    if (from > to) continue;
    if (from > next) found.push(gap(next, from - 1, "not judged"));
    found.push(gap(from, to, "screened out: no vote was asked for"));
    next = to + 1;
  }
  if (next <= until) found.push(gap(next, until, "not judged"));
  return found;
}

// Draws the turns a screenful at a time: a conversation may have ten thousand.
function timeline(place) {
  const row = rows[place];
  const turns = turnsOf(row);
  const list = el("ol", { class: "timeline" });
  const cited = new Set();
  const state = { done: 0, expected: 1 };
  const drawUntil = (wanted) => {
    for (; state.done < turns.length && state.done < wanted; state.done += 1) {
      const turn = turns[state.done];
      if (turn.turn > state.expected) list.append(...gaps(row, state.expected, turn.turn - 1));
      list.append(turnItem(place, turn, cited));
      state.expected = turn.turn + 1;
    }
    if (state.done === turns.length && state.expected <= row[F.turns]) {
      list.append(...gaps(row, state.expected, row[F.turns]));
      state.expected = row[F.turns] + 1;
    }
  };
  drawUntil(EACH);
  return { list, turns, drawUntil, complete: () => state.done === turns.length };
}
