// A conversation at a glance: a bar a turn, as high as its score. Shape tells what colour does.
const RANKS = ["none", "screened", "pass", "undecided", "block", "first"];
const SCREENED = RANKS.indexOf("screened");
const FIRST = RANKS.indexOf("first");
const MOST_CELLS = 60;
const MOST_LARGE = 120;
const SCORE_HEIGHT = 20;
const SKY = 8;

// Where there are more turns than cells, each cell shows the highest of as many as it takes.
function cellsOf(row, most = MOST_CELLS) {
  const cells = Array.from({ length: row[F.turns] }, () => ({ rank: 0, score: 0 }));
  for (const turn of turnsOf(row)) {
    const rank = turn.first ? FIRST : RANKS.indexOf(turn.verdict);
    cells[turn.turn - 1] = { rank, score: turn.score };
  }
  for (const [first, last] of screenedOf(row)) {
    for (let turn = first; turn <= last; turn += 1) cells[turn - 1].rank = SCREENED;
  }
  const each = Math.max(1, Math.ceil(cells.length / most));
  const higher = (a, b) => (b.rank > a.rank || (b.rank === a.rank && b.score > a.score) ? b : a);
  const merged = [];
  for (let start = 0; start < cells.length; start += each) {
    merged.push(cells.slice(start, start + each).reduce(higher));
  }
  return { cells: merged, each };
}

const box = (x, y, width, height) => `M${x} ${y}h${width}v${height}h${-width}z`;
const dash = (x, y, width) => box(x, y, width, 1);
const diamond = (x, y, r) => `M${x} ${y - r}l${r} ${r}l${-r} ${r}l${-r} ${-r}z`;

function cellPath(cell, x, base, wide) {
  const height = Math.max(1.5, (SCORE_HEIGHT * cell.score) / meta.passes);
  switch (RANKS[cell.rank]) {
    case "none":
      return box(x + wide / 2 - 1, base - 3, 2, 2);
    case "screened":
      return dash(x, base - 3, wide);
    case "undecided":
      return box(x + 0.6, base - Math.max(height, 5) - 0.6, wide - 1.2, Math.max(height, 5));
    default:
      return box(x, base - height, wide, height);
  }
}

function strip(row, most = MOST_CELLS, room = 270) {
  const { cells, each } = cellsOf(row, most);
  const base = SKY + SCORE_HEIGHT;
  const pitch = Math.min(12, Math.max(4, Math.floor(room / cells.length)));
  const wide = pitch - (pitch > 6 ? 2 : 1);
  const paths = new Map();
  cells.forEach((cell, place) => {
    const kind = cell.rank === FIRST ? "block" : RANKS[cell.rank];
    paths.set(kind, (paths.get(kind) ?? "") + cellPath(cell, place * pitch, base, wide));
    if (cell.rank === FIRST) paths.set("first", diamond(place * pitch + wide / 2, 4, 3));
  });
  const width = Math.max(1, cells.length) * pitch;
  return svg(
    "svg",
    {
      class: "strip",
      viewBox: `0 0 ${width} ${base + 1}`,
      width,
      height: base + 1,
      preserveAspectRatio: "xMinYMid",
      role: "img",
      "aria-label": said(row, each),
    },
    ...[...paths].map(([kind, d]) => svg("path", { class: `cell-${kind}`, d })),
  );
}

// Names every fifth turn under the bars, and the first.
function numbered(chart, row) {
  const { cells, each } = cellsOf(row, MOST_LARGE);
  const [, , width, height] = chart.getAttribute("viewBox").split(" ").map(Number);
  const pitch = width / cells.length;
  const every = Math.max(5, Math.ceil(22 / pitch / 5) * 5);
  for (let place = 0; place < cells.length; place += 1) {
    if (place && (place + 1) % every) continue;
    chart.append(
      svg("text", { x: (place + 0.45) * pitch, y: height + 7 }, count(place * each + 1)),
    );
  }
  chart.setAttribute("viewBox", `0 0 ${width} ${height + 9}`);
  return { chart, turnAt: (share) => Math.floor(share * cells.length) * each + 1 };
}

function said(row, each) {
  const parts = [`scores of ${plural(row[F.turns], "turn")}`];
  if (row[F.first]) parts.push(`first block at turn ${row[F.first]}`);
  parts.push(`${count(row[F.blocks])} blocking`);
  if (row[F.undecided]) parts.push(`${count(row[F.undecided])} undecided`);
  if (screenedOf(row).length) parts.push(`${count(screenedTurns(row))} screened out`);
  if (each > 1) parts.push(`each bar the highest of ${each} turns`);
  return parts.join(", ");
}

function legend() {
  const sign = (kind, d, words) =>
    el(
      "li",
      {},
      svg(
        "svg",
        { width: 12, height: 20, "aria-hidden": "true" },
        svg("path", { class: `cell-${kind}`, d }),
      ),
      ` ${words}`,
    );
  byId("strip-legend").append(
    el("li", {}, "a bar a turn, as high as its score:"),
    sign("pass", box(3, 12, 5, 7), "pass"),
    sign("block", box(3, 1, 5, 18), "block"),
    sign("first", diamond(6, 11, 4), "first block"),
    sign("undecided", box(3, 9, 5, 9), "undecided"),
    sign("none", box(4, 16, 3, 3), "not judged"),
    ...(rows.some((row) => screenedOf(row).length)
      ? [sign("screened", dash(3, 16, 6), "screened out")]
      : []),
  );
}
