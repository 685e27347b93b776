// Where each paper of a map stands: years from left to right, a lane for each group, no label upon another.
// It imports nothing and touches no document: the page of a run's files has it within.
// @ts-check

/**
 * @typedef {{id: string, title: string, short: string, year: number | null, paper: any, kind: "kept" | "seen" | "missing",
 *   cited: number, number: number | undefined, score: number, theme: string, role: string, chosen: boolean, r: number}} Dot
 * @typedef {{stance?: string, by?: string, sentence?: string, place?: string}} Told what the citing paper says of the cited one
 * @typedef {{dots: Dot[], links: [Dot, Dot, Told][], themes: string[]}} Drawn
 * @typedef {{key: string, name: string, tone: string}} Lane
 * @typedef {{dot: Dot, x: number, y: number, row: number, lane: string, wide: number, flip: boolean}} Spot
 * @typedef {{key: string, name: string, tone: string, y: number, tall: number, count: number, rows: number, folded: number}} Band
 * @typedef {{spots: Spot[], bands: Band[], columns: {year: number | null, x: number}[], tall: number}} Plan
 */

const MOST = 500, MANY = 80, LEAST_LANE = 10;
/** Labels' widths that are tried, the widest that fits is taken. */
const LABELS = [230, 205, 185, 165, 145, 125];
const NARROW = 37;

/** What a text uses a paper for, of the purposes that the check of its citations names. @type {Record<string, string>} */
const ROLES = {evidence: "builds", method: "builds", tool: "builds", contrast: "contrasts", background: "background"};

/** What lines are drawn in ways of their own for, where papers say it of one another. */
export const SAYS = ["contrasts", "supports", "uses"];

/** How a line is drawn. @param {Told} told */
export const lineOf = (told) => (told.stance && SAYS.includes(told.stance) ? told.stance : "");

/** A system's name, or what stands before the colon; else the title. @param {string} title */
export function short(title) {
  const name = title.split(/:\s/)[0].trim();
  return name.length >= 2 && name.length <= 48 ? name : title;
}

/**
 * The papers and links of a run as they are drawn.
 * @param {any} values
 * @returns {Drawn}
 */
export function drawn(values) {
  const papers = /** @type {any[]} */ ((values.papers ?? []).filter((/** @type {any} */ item) => item.paper)).slice(0, MOST);
  const links = /** @type {({citing: string, cited: string} & Told)[]} */ (values.links ?? []);
  const numbers = new Map((values.references ?? []).map((/** @type {any} */ item) => [item.paper.id, item.number]));
  const known = new Set(papers.map((item) => item.paper.id));
  const missing = /** @type {any[]} */ ((values.completeness?.missing ?? []).filter((/** @type {any} */ item) => !known.has(item.id)));
  const count = new Map(missing.map((item) => [item.id, item.cited_by.length]));
  for (const link of links) count.set(link.cited, (count.get(link.cited) ?? 0) + 1);
  const themeOf = new Map(papers.map((item) => [item.paper.id, item.theme || ""]));
  const musts = new Set(values.request?.must_include ?? []);
  const roles = new Map();
  for (const sentence of values.sentences ?? []) {
    for (const {paper, purpose} of sentence.citations ?? []) if (ROLES[purpose] && roles.get(paper) !== "contrasts") roles.set(paper, ROLES[purpose]);
  }
  /** @type {Dot[]} */
  const dots = papers.map(({paper, selected, score, theme, found_by: ways}) => {
    const cited = count.get(paper.id) ?? 0, number = numbers.get(paper.id);
    return {
      id: paper.id, title: paper.title, short: short(paper.title), year: paper.year ?? null, paper, kind: selected ? "kept" : "seen", cited, number, score,
      theme: theme || "", role: number ? roles.get(paper.id) ?? "background" : "no",
      chosen: musts.has(paper.id) || (Array.isArray(ways) && ways.some((way) => way.via === "must_include")),
      r: number ? 8.5 + 0.7 * Math.sqrt(cited) : selected ? 4.5 + 1.8 * Math.sqrt(cited) : 3.5,
    };
  });
  for (const {id, cited_by: by, paper} of missing) {
    const mates = by.map((/** @type {string} */ citing) => themeOf.get(citing)).filter(Boolean).sort();
    dots.push({
      id, title: paper?.title ?? id, short: short(paper?.title ?? id), year: paper?.year ?? null, paper, kind: "missing", cited: by.length, number: undefined,
      score: 0, theme: mates[mates.length >> 1] ?? "", role: "no", chosen: false, r: 6,
    });
  }
  const by = new Map(dots.map((dot) => [dot.id, dot]));
  const all = [...links, ...missing.flatMap(({id, cited_by}) => cited_by.map((/** @type {string} */ citing) => ({citing, cited: id})))];
  /** @type {[Dot, Dot, Told][]} */
  const joined = [];
  for (const link of all) {
    const from = by.get(link.citing), to = by.get(link.cited);
    if (from && to && from !== to) joined.push([from, to, link]);
  }
  // The largest theme first: its colour is the first as well.
  const sizes = new Map();
  for (const dot of dots) if (dot.kind === "kept" && dot.theme) sizes.set(dot.theme, (sizes.get(dot.theme) ?? 0) + 1);
  return {dots, links: joined, themes: [...sizes.keys()].sort((a, b) => sizes.get(b) - sizes.get(a) || (a < b ? -1 : 1))};
}

/**
 * The colour's class of a theme: five can be told apart, the rest is grey.
 * @param {string[]} themes @param {string} theme
 */
export function toneOf(themes, theme) {
  const place = themes.indexOf(theme);
  return place >= 0 && place < 5 ? `t${place + 1}` : "";
}

/**
 * Give the papers their places.
 * @param {Dot[]} dots
 * @param {Lane[]} lanes from above
 * @param {(dot: Dot) => string} laneOf the key of its lane
 * @param {{width: number, height: number, compact: boolean, gutter?: number}} box in pixels; `compact` is a column of lanes on a narrow window
 * @param {(dot: Dot) => number} measure how wide its label is in pixels
 * @param {Set<string>} opened lanes that are shown whole
 * @returns {Plan}
 */
export function laid(dots, lanes, laneOf, {width, height, compact, gutter = 138}, measure, opened) {
  const most = dots.length > MANY ? Math.max(LEAST_LANE, Math.floor(MANY / Math.max(1, lanes.length))) : Infinity;
  /** @type {Map<string, {mine: Dot[], folded: number}>} */
  const groups = new Map();
  for (const {key} of lanes) {
    const all = dots.filter((dot) => laneOf(dot) === key).sort(best);
    const mine = opened.has(key) ? all : all.slice(0, most);
    if (all.length) groups.set(key, {mine: mine.sort((a, b) => (a.year ?? 0) - (b.year ?? 0) || best(a, b)), folded: all.length - mine.length});
  }
  const shown = [...groups.values()].flatMap(({mine}) => mine);
  const columns = columnsOf(shown, [...groups.values()].map(({mine}) => mine), width, compact, gutter);
  const at = new Map(columns.map(({year, x}) => [year, x]));
  const row = compact ? 34 : 22, head = compact ? 30 : 6;

  const pack = (/** @type {number} */ longest) => {
    /** @type {Spot[]} */
    const spots = [];
    /** @type {Band[]} */
    const bands = [];
    let y = 32;
    for (const {key, name, tone} of lanes) {
      const group = groups.get(key);
      if (!group) continue;
      /** @type {[number, number][][]} */
      const rows = [];
      for (const dot of group.mine) {
        const x = at.get(dot.year) ?? 0, wide = dot.kind === "seen" ? 0 : Math.min(measure(dot), longest);
        const flip = x + dot.r + 10 + wide > width - 4;
        const from = flip ? x - dot.r - 10 - wide : x - dot.r - 7, to = flip ? x + dot.r + 7 : x + dot.r + 12 + wide;
        let free = rows.findIndex((taken) => taken.every(([a, b]) => to < a || from > b));
        if (free < 0) free = rows.push([]) - 1;
        rows[free].push([from, to]);
        spots.push({dot, x, y: y + head + free * row + row / 2, row: free, lane: key, wide, flip});
      }
      // A lane has room for its name, which stands beside it.
      const tall = Math.max(head + rows.length * row + (compact ? 8 : 5), compact ? 0 : 62);
      bands.push({key, name, tone, y, tall, count: group.mine.length + group.folded, rows: rows.length, folded: group.folded});
      y += tall;
    }
    return {spots, bands, columns, tall: y + (compact ? 12 : 4)};
  };
  if (compact) return pack(Math.max(90, width - 130));
  let plan = pack(LABELS[0]);
  for (const longest of LABELS) {
    plan = pack(longest);
    if (plan.tall <= height) break;
  }
  // What is left over is shared among the lanes, so that the picture fills its window.
  const spare = Math.max(0, height - plan.tall) / Math.max(1, plan.bands.length);
  plan.bands.forEach((band, place) => {
    for (const spot of plan.spots) if (spot.lane === band.key) spot.y += place * spare + (spare / (band.rows + 1)) * (spot.row + 0.5);
    band.y += place * spare;
    band.tall += spare;
  });
  return {...plan, tall: Math.max(plan.tall, height)};
}

/** Those that the text cites, then kept ones, most cited first. @param {Dot} a @param {Dot} b */
const best = (a, b) => Number(Boolean(b.number)) - Number(Boolean(a.number)) || Number(a.kind === "seen") - Number(b.kind === "seen") || b.cited - a.cited || b.score - a.score;

/**
 * A year is as wide as its fullest lane asks for, none narrower than its name; years without papers take no room.
 * @param {Dot[]} dots @param {Dot[][]} groups @param {number} width @param {boolean} compact @param {number} gutter
 */
function columnsOf(dots, groups, width, compact, gutter) {
  const years = [...new Set(dots.map((dot) => dot.year))].sort((a, b) => (a ?? 0) - (b ?? 0));
  const left = compact ? 24 : gutter + 16, room = Math.max(0, width - left - (compact ? 40 : 128));
  const last = years[years.length - 1] ?? 0;
  const weights = years.map((year) => {
    const fullest = Math.max(...groups.map((mine) => mine.filter((dot) => dot.year === year).length));
    return compact ? 1 : 0.3 + fullest ** 0.7 * ((year ?? 0) < last - 7 ? 0.7 : 1);
  });
  // The last year begins where the room ends: its labels have the margin, or stand to its left.
  const sum = weights.slice(0, -1).reduce((a, b) => a + b, 0) || 1;
  const least = compact ? 0 : Math.min(NARROW, room / Math.max(1, years.length - 1));
  const widths = weights.slice(0, -1).map((weight) => Math.max(least, (weight / sum) * room));
  const over = widths.reduce((a, b) => a + b, 0) - room, give = widths.reduce((a, b) => a + b - least, 0) || 1;
  let x = left;
  return years.map((year, place) => {
    const column = {year, x};
    const wide = widths[place] ?? 0;
    x += wide - Math.max(0, over) * ((wide - least) / give);
    return column;
  });
}

/**
 * The way of a line: from the left of who cites into what is cited from above or below, where no label stands.
 * @param {{x: number, y: number}} from @param {{x: number, y: number}} to @param {number} gap pixels before its middle
 */
export function curve(from, to, gap) {
  const {x: x1, y: y1} = from, {x: x2, y: y2} = to, down = y2 - y1, away = Math.abs(x1 - x2);
  if (away < 24) {
    const out = Math.min(34, 14 + Math.abs(down) / 8);
    return `M${x1} ${y1}C${x1 - out} ${y1} ${x2 - out} ${y2} ${x2 - gap} ${y2}`;
  }
  const bend = Math.max(24, away * 0.5);
  if (Math.abs(down) < 30) return `M${x1} ${y1}C${x1 - bend / 2} ${y1 - 16} ${x2 + 6} ${y2 - gap - 20} ${x2} ${y2 - gap}`;
  const end = y2 - Math.sign(down) * gap;
  return `M${x1} ${y1}C${x1 - bend} ${y1} ${x2} ${end - Math.sign(down) * Math.min(90, Math.abs(down) * 0.55)} ${x2} ${end}`;
}

/**
 * A text cut to a width.
 * @param {string} text @param {number} room @param {(text: string) => number} wide
 */
export function cut(text, room, wide) {
  if (wide(text) <= room) return text;
  let low = 0, high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (wide(`${text.slice(0, middle).trimEnd()}…`) <= room) low = middle; else high = middle - 1;
  }
  return low > 2 ? `${text.slice(0, low).trimEnd()}…` : "";
}

/**
 * The labels of a plan as they are printed at a zoom: rooms grow, letters do not.
 * @param {Plan} plan @param {number} width @param {number} zoom @param {boolean} compact @param {(text: string, bold: boolean) => number} wide
 * @returns {Map<string, string>} by the papers' ids
 */
export function labels(plan, width, zoom, compact, wide) {
  /** @type {Map<string, Spot[]>} */
  const rows = new Map();
  for (const spot of plan.spots) {
    const key = `${spot.lane} ${spot.row}`;
    rows.set(key, [...(rows.get(key) ?? []), spot].sort((a, b) => a.x - b.x));
  }
  const found = new Map();
  for (const spot of plan.spots) {
    const {dot} = spot, mates = rows.get(`${spot.lane} ${spot.row}`) ?? [], place = mates.indexOf(spot);
    const next = mates[place + 1], before = mates[place - 1], bold = Boolean(dot.number);
    const right = next ? (next.x - spot.x) * zoom - next.dot.r - (next.flip ? 16 + next.wide : 8) : width * zoom - spot.x * zoom - 4;
    const left = before ? (spot.x - before.x) * zoom - before.dot.r - (before.flip ? 8 : 16 + before.wide) : spot.x * zoom - 8;
    const room = (spot.flip ? left : right) - dot.r - 6;
    const longest = zoom > 1.15 ? 420 : compact || spot.flip ? spot.wide : Math.max(spot.wide, next ? 0 : 210);
    const text = zoom > 1.6 ? dot.title : dot.short;
    found.set(dot.id, dot.kind === "seen" && zoom < 1.4 ? "" : cut(text, Math.min(room, longest), (words) => wide(words, bold)));
  }
  return found;
}
