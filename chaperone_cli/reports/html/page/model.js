// The rows as they were embedded; a conversation's turns are spelled out when they are looked at.
const embedded = (name) =>
  [...document.querySelectorAll(`script.${name}`)].map((block) => JSON.parse(block.textContent));

const meta = embedded("meta")[0];
const rows = embedded("rows").flat();
const F = Object.fromEntries(meta.columns.map((name, place) => [name, place]));

const named = (table, code) => (typeof code === "number" ? meta[table][code] : code);
const idOf = (row) => row[F.id];
const labelOf = (row) => (row[F.label] === null ? "" : named("labels", row[F.label]));
const pathOf = (row) => named("paths", row[F.path]);
const verdictOf = (row) => meta.verdicts[row[F.verdict]];
// What a screen kept from the vote, as runs of turns; a conversation may have nothing else.
const screenedOf = (row) => row[F.screened];
const screenedTurns = (row) =>
  screenedOf(row).reduce((sum, [first, last]) => sum + last - first + 1, 0);
function outcomeOf(row) {
  if (!row[F.selected]) return "no turn";
  if (row[F.partial] && !row[F.first]) return "cut short";
  return !row[F.judged] && screenedOf(row).length ? "screened out" : verdictOf(row);
}
const sideOf = (row) => meta.sides[row[F.side]] ?? "";
const cuesOf = (row) => row[F.cues].map((code) => named("cues", code));

const meaningOf = (cue) => (Object.hasOwn(meta.meanings, cue) ? meta.meanings[cue] : null);

const firstOf = new Map();
rows.forEach((row, place) => {
  if (!firstOf.has(idOf(row))) firstOf.set(idOf(row), place);
});

// Ids that differ only in characters which cannot be seen look alike: the place tells them apart.
function linkTo(place, turn = 0) {
  const id = idOf(rows[place]);
  const parts = [`c=${encodeURIComponent(id)}`];
  if (firstOf.get(id) !== place) parts.push(`n=${place + 1}`);
  if (turn) parts.push(`t=${turn}`);
  return `#${parts.join("&")}`;
}

const ANSWERS = { 1: "yes", 0: "no" };

function turnsOf(row) {
  const words = row[F.words] ? row[F.words].split(" ") : [];
  const evidence = row[F.evidence];
  let expected = 1;
  return words.map((word, place) => {
    const [, digits, side, verdict, letters] = /^(\d*)([a-z])([a-z])(.*)$/.exec(word);
    const turn = digits ? Number(digits) : expected;
    expected = turn + 1;
    const votes = [...letters].map((letter) => ANSWERS[letter] ?? meta.abstentions[letter]);
    return {
      turn,
      side: meta.sides[side],
      verdict: meta.verdicts[verdict],
      votes,
      score: votes.filter((vote) => vote === "yes").length,
      first: turn === row[F.first],
      evidence: evidence ? evidenceOf(evidence, evidence.turns[place]) : [],
    };
  });
}

function evidenceOf(tables, group) {
  if (group < 0) return [];
  return tables.groups[group].map(([passes, piece]) => {
    const [cues, span] = tables.pieces[piece];
    return {
      passes,
      cues: cues.map((code) => named("cues", code)),
      span: span < 0 ? null : spanOf(tables.spans[span]),
    };
  });
}

const spanOf = ([turn, start, end, side, quote = null]) => ({
  key: `${turn}:${start}:${end}`,
  turn,
  side: meta.sides[side] ?? "",
  start,
  end,
  quote,
});

function whyOf(row) {
  if (!row[F.why]) return null;
  const [turn, reason, span] = row[F.why];
  return { turn, reason, span: span && spanOf(span) };
}
