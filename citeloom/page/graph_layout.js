// The papers by year and by how often the others cite them: kept, seen, and missing ones. Each has its place.
// It imports nothing: the page of a run's files has it within.
// @ts-check

export const WIDE = 960, HIGH = 520;
const LEFT = 46, BELOW = 34;

/**
 * @typedef {{id: string, title: string, year: number | null, paper: any, kind: "kept" | "seen" | "missing",
 *   cited: number, number: number | undefined, score: number, x: number, y: number, r: number}} Dot
 */

/**
 * The papers and links of a run as they are drawn.
 * @param {any} values
 * @returns {{dots: Dot[], lines: [Dot, Dot][], years: [number | null, number][]}}
 */
export function drawn(values) {
  const papers = /** @type {any[]} */ ((values.papers ?? []).filter((/** @type {any} */ item) => item.paper)).slice(0, 500);
  const links = /** @type {{citing: string, cited: string}[]} */ (values.links ?? []);
  const numbers = new Map((values.references ?? []).map((/** @type {any} */ item) => [item.paper.id, item.number]));
  const count = new Map();
  for (const link of links) count.set(link.cited, (count.get(link.cited) ?? 0) + 1);
  const known = new Set(papers.map((item) => item.paper.id));
  const missing = /** @type {any[]} */ ((values.completeness?.missing ?? []).filter((/** @type {any} */ item) => !known.has(item.id)));
  /** @type {Dot[]} */
  const dots = [
    ...papers.map(({paper, selected, score}) => ({
      id: paper.id, title: paper.title, year: paper.year ?? null, paper, kind: /** @type {"kept" | "seen"} */ (selected ? "kept" : "seen"),
      cited: count.get(paper.id) ?? 0, number: numbers.get(paper.id), score, x: 0, y: 0, r: 5 + 7 * Math.sqrt(score / 100),
    })),
    ...missing.map(({id, cited_by, paper}) => ({
      id, title: paper?.title ?? id, year: paper?.year ?? null, paper, kind: /** @type {"missing"} */ ("missing"), cited: cited_by.length,
      number: undefined, score: 0, x: 0, y: 0, r: 6,
    })),
  ];
  const years = placed(dots);
  const by = new Map(dots.map((dot) => [dot.id, dot]));
  /** @type {[Dot, Dot][]} */
  const lines = [];
  const all = [...links, ...missing.flatMap(({id, cited_by}) => cited_by.map((/** @type {string} */ citing) => ({citing, cited: id})))];
  for (const {citing, cited} of all) {
    const [from, to] = [by.get(citing), by.get(cited)];
    if (from && to && from !== to) lines.push([from, to]);
  }
  return {dots, lines, years};
}

/** Give each dot its place: across its year, upwards how often it is cited; none upon another. @param {Dot[]} dots */
function placed(dots) {
  const found = [...new Set(dots.map((dot) => dot.year))].sort((a, b) => (a ?? 0) - (b ?? 0));
  const total = dots.length || 1;
  const weight = found.map((year) => 0.5 / found.length + (0.5 * dots.filter((dot) => dot.year === year).length) / total);
  const most = Math.log1p(Math.max(1, ...dots.map((dot) => dot.cited)));
  /** @type {[number | null, number][]} */
  const years = [];
  /** @type {Dot[]} */
  const done = [];
  let left = LEFT;
  found.forEach((year, at) => {
    const wide = weight[at] * (WIDE - LEFT);
    const mine = dots.filter((dot) => dot.year === year).sort((a, b) => b.cited - a.cited || b.score - a.score);
    years.push([year, left + wide / 2]);
    for (const dot of mine) {
      const wanted = HIGH - BELOW - 14 - (Math.log1p(dot.cited) / most) * (HIGH - BELOW - 40);
      [dot.x, dot.y] = free(dot, wanted, left + dot.r, left + wide - dot.r, done);
      done.push(dot);
    }
    left += wide;
  });
  return years;
}

/** The free place nearest to a height. @param {Dot} dot @param {number} wanted @param {number} from @param {number} to @param {Dot[]} done */
function free(dot, wanted, from, to, done) {
  const middle = (from + to) / 2;
  for (let step = 0; step < 9 * HIGH / 4; step += 1) {
    const around = Math.floor(step / 9), aside = (step % 9) - 4;
    const y = wanted + (around % 2 ? 1 : -1) * Math.ceil(around / 2) * 8;
    const x = Math.min(Math.max(middle + (aside * (to - from)) / 9, Math.min(from, middle)), Math.max(to, middle));
    if (y < 12 || y > HIGH - BELOW - 8) continue;
    if (done.every((other) => Math.hypot(other.x - x, other.y - y) > other.r + dot.r + 1)) return [x, y];
  }
  return [middle, wanted];
}
